/** One report to send: its payload, and an id of 16 random bytes that stays the same on every attempt. */
export interface ReportOut {
    readonly id: Uint8Array;
    readonly payload: Uint8Array;
}
/** Reports of one survey and one window. */
export interface Upload {
    readonly fingerprint: string;
    readonly window: string;
    readonly reports: readonly ReportOut[];
}
/** An upload in MessagePack, everything in its shortest form. */
export declare function writeUpload(upload: Upload): Uint8Array;
/** The same of an upload that is known to be right. */
export declare function encodeUpload({ fingerprint, window, reports }: Upload): Uint8Array;
/** The same in JSON, bytes as hexadecimal digits. */
export declare function writeUploadJson(upload: Upload): string;

/** Bytes as lower-case hexadecimal digits, two for each. */
export declare function toHex(bytes: Uint8Array): string;
/** The bytes that lower-case hexadecimal digits stand for. */
export declare function fromHex(text: string): Uint8Array;
/** Text as UTF-8. */
export declare function utf8(text: string): Uint8Array;
/** Several pieces, one after the other. */
export declare function concatBytes(pieces: readonly Uint8Array[]): Uint8Array;

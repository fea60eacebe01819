import { concatBytes, fromHex, toHex, utf8 } from "./bytes.js";
import { InvalidArgument } from "./errors.js";
/** Version of the wire. */
const VERSION = 2;
function check(upload) {
    if (!/^[0-9a-f]{32}$/.test(upload.fingerprint))
        throw new InvalidArgument("fingerprint must be 32 lower-case hexadecimal digits");
    if (utf8(upload.window).length > 31)
        throw new InvalidArgument("window must be a window name of at most 31 bytes");
    if (upload.reports.length === 0 || upload.reports.length > 0xffff)
        throw new InvalidArgument("reports must hold 1 to 65,535 reports");
    for (const { id, payload } of upload.reports) {
        if (id.length !== 16)
            throw new InvalidArgument("id must have 16 bytes");
        if (payload.length > 0xffff)
            throw new InvalidArgument("payload must have at most 65,535 bytes");
    }
}
function array(count) {
    return count < 16 ? Uint8Array.of(0x90 | count) : Uint8Array.of(0xdc, count >> 8, count & 0xff);
}
function binary(bytes) {
    const n = bytes.length;
    return [n < 256 ? Uint8Array.of(0xc4, n) : Uint8Array.of(0xc5, n >> 8, n & 0xff), bytes];
}
/** An upload in MessagePack, everything in its shortest form. */
export function writeUpload(upload) {
    check(upload);
    return encodeUpload(upload);
}
/** The same of an upload that is known to be right. */
export function encodeUpload({ fingerprint, window, reports }) {
    const name = utf8(window);
    const head = [Uint8Array.of(0x94, VERSION), ...binary(fromHex(fingerprint)), Uint8Array.of(0xa0 | name.length), name, array(reports.length)];
    return concatBytes([...head, ...reports.flatMap(({ id, payload }) => [array(2), ...binary(id), ...binary(payload)])]);
}
/** The same in JSON, bytes as hexadecimal digits. */
export function writeUploadJson(upload) {
    check(upload);
    const reports = upload.reports.map(({ id, payload }) => ({ id: toHex(id), payload: toHex(payload) }));
    return JSON.stringify({ version: VERSION, fingerprint: upload.fingerprint, window: upload.window, reports });
}

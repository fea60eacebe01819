import { InvalidArgument } from "./errors.js";
/** Bytes as lower-case hexadecimal digits, two for each. */
export function toHex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** The bytes that lower-case hexadecimal digits stand for. */
export function fromHex(text) {
    if (!/^(?:[0-9a-f]{2})*$/.test(text))
        throw new InvalidArgument("not lower-case hexadecimal digits");
    return Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
/** Text as UTF-8. */
export function utf8(text) {
    return new TextEncoder().encode(text);
}
/** Several pieces, one after the other. */
export function concatBytes(pieces) {
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
    }
    return all;
}

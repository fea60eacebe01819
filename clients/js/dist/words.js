import { NoRandomness } from "./errors.js";
const WORD = 1n << 64n;
/** The platform's cryptographic randomness; there is no fallback. */
function systemRandomness() {
    const source = globalThis.crypto;
    if (typeof source?.getRandomValues !== "function")
        throw missing();
    return source;
}
/** Random bits in place of zeros. A stand-in that fills nothing is refused. */
function fill(source, zeros) {
    source.getRandomValues(zeros);
    if (!zeros.some(Boolean))
        throw missing();
    return zeros;
}
function missing() {
    return new NoRandomness("crypto.getRandomValues is missing here, or gives only zeros, so no report can be drawn");
}
/** A report's id: 16 bytes of the operating system's randomness, drawn once and kept with the report. */
export function newId() {
    return fill(systemRandomness(), new Uint8Array(16));
}
/** The operating system's randomness. Refused where the platform has none. */
export function systemWords() {
    const source = systemRandomness();
    const buffer = new BigUint64Array(64);
    let left = 0;
    return {
        next() {
            if (left === 0) {
                fill(source, buffer);
                left = buffer.length;
            }
            const word = buffer[--left];
            buffer[left] = 0n; // a word is used once, and not kept
            return word;
        },
    };
}
/** Uniform below `size`, from 1 to 2^64: exactly, by drawing again where a word is beyond the last multiple. */
export function below(size, words) {
    if ((size & (size - 1n)) === 0n)
        return (words.next() * size) >> 64n;
    const limit = WORD - (WORD % size);
    for (;;) {
        const word = words.next();
        if (word < limit)
            return word % size;
    }
}
/** The same for a size that is a small number. */
export function belowNumber(size, words) {
    return Number(below(BigInt(size), words));
}
/** `count` words as little-endian bytes. */
export function wordBytes(count, words) {
    const bytes = new Uint8Array(8 * count);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < count; i++)
        view.setBigUint64(8 * i, words.next(), true);
    return bytes;
}

import { isPrime } from "./primes.js";
/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUND = constants(64, 3n);
/** The same of the square roots of the first eight. */
const START = constants(8, 2n);
/** `floor(2^32 * p^(1/root)) mod 2^32` of the first primes, in integers. */
function constants(count, root) {
    const words = [];
    for (let p = 2; words.length < count; p++) {
        if (!isPrime(p))
            continue;
        let low = 0n;
        for (let bit = 1n << 37n; bit > 0n; bit >>= 1n) {
            if ((low + bit) ** root <= BigInt(p) << (32n * root))
                low += bit;
        }
        words.push(Number(low & 0xffffffffn));
    }
    return Uint32Array.from(words);
}
/** SHA-256 of some bytes: 32 bytes, computed at once and without WebCrypto, which plain HTTP pages lack. */
export function sha256(message) {
    const padded = new DataView(new ArrayBuffer(64 * Math.ceil((message.length + 9) / 64)));
    const bytes = new Uint8Array(padded.buffer);
    bytes.set(message);
    bytes[message.length] = 0x80;
    padded.setBigUint64(bytes.length - 8, 8n * BigInt(message.length));
    const state = START.slice();
    for (let at = 0; at < bytes.length; at += 64)
        block(state, padded, at);
    const digest = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => digest.setUint32(4 * i, word));
    return new Uint8Array(digest.buffer);
}
function turn(word, by) {
    return (word >>> by) | (word << (32 - by));
}
/** One block of 64 bytes into the state. */
function block(state, bytes, at) {
    const w = new Int32Array(64);
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
        if (i < 16)
            w[i] = bytes.getInt32(at + 4 * i);
        else {
            const x = w[i - 15];
            const y = w[i - 2];
            const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
            const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
            w[i] = w[i - 16] + small + w[i - 7] + large;
        }
        const up = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
        const one = (h + up + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
        const down = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
        const two = down + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
}

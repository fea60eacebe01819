import { numberField } from "../fields.js";
import { categorical, readOptions } from "./common.js";
import { hashing } from "./response.js";
/** Read `seeded-hashing`: a fresh seed is the hash, then randomized response on its cell. */
export function readSeededHashing(source) {
    const domain = categorical(source);
    const d = domain.size;
    const options = readOptions(source, "bits", "hash_range");
    const g = options.whole("hash_range", 2, 2 ** 29);
    return hashing(source, domain, options, {
        hash: numberField("seed", 1n << 64n),
        g,
        cells: 2 * d,
        blocks: d,
        draw(value, words) {
            const seed = words.next();
            return [seed, seededCell(seed, value, g)];
        },
    });
}
/** The cell of a value under a seed. */
function seededCell(seed, value, g) {
    const low = Number(seed & 0xffffffffn);
    const high = Number(seed >> 32n);
    const hash = mix(mix((value ^ low) >>> 0) ^ high);
    return Number((BigInt(hash) * BigInt(g)) >> 32n);
}
/** The finalizer of MurmurHash3, modulo 2^32. */
function mix(word) {
    let x = word >>> 0;
    x ^= x >>> 16;
    x = Math.imul(x, 0x85ebca6b);
    x ^= x >>> 13;
    x = Math.imul(x, 0xc2b2ae35);
    x ^= x >>> 16;
    return x >>> 0;
}

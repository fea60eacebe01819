import { bitsField, packBits } from "../fields.js";
import { fraction } from "../fraction.js";
import { wordBytes } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights, requireWeights } from "./common.js";
import { bitLength } from "./hadamard.js";
/** Read `subset-selection`. */
export function readSubsetSelection(source) {
    const domain = categorical(source);
    const d = domain.size;
    const options = readOptions(source, "bits", "subset_size");
    const bits = readBits(options);
    const k = options.whole("subset_size", 1, Math.max(1, d - 1));
    const { own, start } = readWeights(source, "own", "start");
    const total = 1n << BigInt(bits);
    const filled = d === 1 ? own === total && start === 0n : BigInt(k) * total < BigInt(d) * own && own < total && start < 16n;
    requireWeights(source, filled, "such that k 2^bits < d own, own < 2^bits and start < 16");
    const ownBelow = own << BigInt(64 - bits);
    const digits = binaryDigits(start);
    return forOneValue(domain, {
        fields: [bitsField("bits", d)],
        cells: 2 * d,
        blocks: d,
        ratio: fraction(own * BigInt(d - k), (total - own) * BigInt(k)),
        respondAt(value, words) {
            const taken = words.next() < ownBelow;
            return [d === 1 ? Uint8Array.of(1) : packBits(chosen(value, taken, d, k, digits, words))];
        },
    });
}
/** Digits of `start`/16 after the binary point, without trailing zeros, the last one first. */
export function binaryDigits(start) {
    return [...start.toString(2).padStart(4, "0").replace(/0+$/, "")].reverse();
}
/** The set that is reported, a byte for every value. Value and "in" are looked at only when the stand-ins are drawn. */
export function chosen(value, taken, d, k, digits, words) {
    const few = Math.min(k, d - k);
    const { members, last } = drawSet(d - 1, few, digits, words);
    const turned = 2 * k > d;
    const inside = taken !== turned;
    const set = new Uint8Array(d);
    set.set(members);
    if (inside)
        set[last] = 0;
    if (value < d - 1 && set[value] === 1) {
        set[value] = 0;
        set[d - 1] = 1;
    }
    if (inside)
        set[value] = 1;
    return turned ? set.map((one) => 1 - one) : set;
}
/** A uniform set of `few` out of `m` stand-ins, a byte for each. */
function drawSet(m, few, digits, words) {
    const w = Math.ceil(m / 64);
    const members = new Uint8Array(m);
    for (const digit of digits) {
        const drawn = wordBytes(w, words);
        for (let v = 0; v < m; v++) {
            const bit = (drawn[v >> 3] >> (v & 7)) & 1;
            members[v] = digit === "1" ? members[v] | bit : members[v] & bit;
        }
    }
    let size = members.reduce((sum, one) => sum + one, 0);
    const t = BigInt(bitLength(m - 1));
    const tries = 64n / t;
    const mask = (1n << t) - 1n;
    const batch = Math.max(1, Math.floor(Math.floor(Math.sqrt(w)) / 2));
    for (;;) {
        for (const word of Array.from({ length: batch }, () => words.next())) {
            for (let i = 0n; i < tries; i++) {
                const tried = Number((word >> (i * t)) & mask);
                if (tried >= m)
                    continue;
                // A member leaves while there are enough, and joins while there are too few.
                const joins = size < few;
                if (members[tried] === Number(joins))
                    continue;
                members[tried] = Number(joins);
                size += joins ? 1 : -1;
                if (joins && size === few)
                    return { members, last: tried };
            }
        }
    }
}

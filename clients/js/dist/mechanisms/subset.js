import { bitsField } from "../fields.js";
import { fraction } from "../fraction.js";
import { wordBytes } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights, requireWeights } from "./common.js";
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
    const digits = binaryDigits(Number(start));
    return forOneValue(domain, {
        fields: [bitsField("bits", d)],
        cells: 2 * d,
        blocks: d,
        ratio: fraction(own * BigInt(d - k), (total - own) * BigInt(k)),
        respondAt(value, words) {
            const taken = words.next() < ownBelow;
            return [d === 1 ? Uint8Array.of(1) : pack(chosen(value, taken, d, k, digits, words))];
        },
    });
}
/** Digits of `start`/16 after the binary point, without trailing zeros. */
function binaryDigits(start) {
    const digits = [8, 4, 2, 1].map((place) => (start & place ? 1 : 0));
    while (digits.length > 0 && digits[digits.length - 1] === 0)
        digits.pop();
    return digits;
}
/** The set that is reported, a byte for every value. Value and "in" are looked at only when the stand-ins are drawn. */
function chosen(value, taken, d, k, digits, words) {
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
    for (let i = digits.length - 1; i >= 0; i--) {
        const drawn = wordBytes(w, words);
        for (let v = 0; v < m; v++) {
            const bit = (drawn[v >> 3] >> (v & 7)) & 1;
            members[v] = digits[i] === 1 ? members[v] | bit : members[v] & bit;
        }
    }
    let size = members.reduce((sum, one) => sum + one, 0);
    const t = BigInt(Math.max(1, bitLength(m - 1)));
    const tries = 64n / t;
    const mask = (1n << t) - 1n;
    const batch = Math.max(1, Math.floor(Math.floor(Math.sqrt(w)) / 2));
    for (;;) {
        const drawn = Array.from({ length: batch }, () => words.next());
        for (const word of drawn) {
            for (let i = 0n; i < tries; i++) {
                const tried = Number((word >> (i * t)) & mask);
                if (tried >= m)
                    continue;
                if (size >= few) {
                    if (members[tried] === 1) {
                        members[tried] = 0;
                        size--;
                    }
                }
                else if (members[tried] === 0) {
                    members[tried] = 1;
                    size++;
                    if (size === few)
                        return { members, last: tried };
                }
            }
        }
    }
}
function bitLength(n) {
    return n === 0 ? 0 : n.toString(2).length;
}
function pack(set) {
    const packed = new Uint8Array(Math.ceil(set.length / 8));
    set.forEach((one, v) => {
        if (one === 1)
            packed[v >> 3] |= 1 << (v & 7);
    });
    return packed;
}

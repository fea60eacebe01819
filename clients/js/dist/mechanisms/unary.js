import { bitsField, packBits } from "../fields.js";
import { fraction } from "../fraction.js";
import { demand } from "../reading.js";
import { wordBytes } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights } from "./common.js";
/** The two weights of unary encoding, checked. */
export function makeUnary(own, other, bits, where) {
    const total = 1n << BigInt(bits);
    demand(0n < other && other < own && own < total, `${where}.weights`, "such that 0 < other < own < 2^bits");
    const ownBelow = own << BigInt(64 - bits);
    const limit = limitOf(other, bits);
    return {
        ratio: fraction(own * (total - other), other * (total - own)),
        own: (words) => words.next() < ownBelow,
        others: (count, words) => drawBits(count, () => limit, words),
    };
}
/** The threshold of a weight. */
export function limitOf(weight, bits) {
    const below = weight << BigInt(64 - bits);
    return { first: Number(below >> 56n), rest: below & ((1n << 56n) - 1n) };
}
/** Packed bits, each set where a random byte is below the first byte of its threshold; a word decides where both are equal. */
export function drawBits(count, limit, words) {
    const lanes = wordBytes(Math.ceil(count / 8), words).subarray(0, count);
    return packBits(lanes.map((lane, v) => {
        const { first, rest } = limit(v);
        return Number(lane === first ? words.next() >> 8n < rest : lane < first);
    }));
}
/** Set or clear one bit of packed bits. */
export function putBit(packed, v, set) {
    const mask = 1 << (v & 7);
    packed[v >> 3] = set ? packed[v >> 3] | mask : packed[v >> 3] & ~mask;
}
/** A whole report of unary encoding: one's own bit is drawn first and put in last. */
export function unaryReport(unary, count, value, words) {
    const own = unary.own(words);
    const packed = unary.others(count, words);
    putBit(packed, value, own);
    return packed;
}
/** Read `unary-encoding`. */
export function readUnaryEncoding(source) {
    const domain = categorical(source);
    const d = domain.size;
    const options = readOptions(source, "bits", "variant");
    options.choice("variant", ["optimized", "symmetric"]);
    const { own, other } = readWeights(source, "other", "own");
    const unary = makeUnary(own, other, readBits(options), source.where);
    return forOneValue(domain, {
        fields: [bitsField("bits", d)],
        cells: 2 * d,
        blocks: d,
        ratio: unary.ratio,
        respondAt: (input, words) => [unaryReport(unary, d, input, words)],
    });
}

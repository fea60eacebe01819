import { bitsField, packBits } from "../fields.js";
import { fraction, type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import { demand } from "../reading.js";
import { wordBytes, type Words } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights } from "./common.js";

/** A bit for every value: set with weight `own` for one's own, `other` for any other, out of 2^bits. */
export interface Unary {
  readonly ratio: Fraction;
  /** Whether one's own bit is set: one word. */
  own(words: Words): boolean;
  /** The bits of `count` values, each drawn as if it were not the own value: one byte each, one word per tie. */
  others(count: number, words: Words): Uint8Array;
}

/** The two weights of unary encoding, checked. */
export function makeUnary(own: bigint, other: bigint, bits: number, where: string): Unary {
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

/** A weight out of 2^bits as the first byte and the other 56 bits of a threshold of 64. */
export interface Limit {
  readonly first: number;
  readonly rest: bigint;
}

/** The threshold of a weight. */
export function limitOf(weight: bigint, bits: number): Limit {
  const below = weight << BigInt(64 - bits);
  return { first: Number(below >> 56n), rest: below & ((1n << 56n) - 1n) };
}

/** Packed bits, each set where a random byte is below the first byte of its threshold; a word decides where both are equal. */
export function drawBits(count: number, limit: (v: number) => Limit, words: Words): Uint8Array {
  const lanes = wordBytes(Math.ceil(count / 8), words).subarray(0, count);
  return packBits(lanes.map((lane, v) => {
    const { first, rest } = limit(v);
    return Number(lane === first ? words.next() >> 8n < rest : lane < first);
  }));
}

/** Set or clear one bit of packed bits. */
export function putBit(packed: Uint8Array, v: number, set: boolean): void {
  const mask = 1 << (v & 7);
  packed[v >> 3] = set ? packed[v >> 3]! | mask : packed[v >> 3]! & ~mask;
}

/** A whole report of unary encoding: one's own bit is drawn first and put in last. */
export function unaryReport(unary: Unary, count: number, value: number, words: Words): Uint8Array {
  const own = unary.own(words);
  const packed = unary.others(count, words);
  putBit(packed, value, own);
  return packed;
}

/** Read `unary-encoding`. */
export function readUnaryEncoding(source: Source): Parts {
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

import { type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import { type Words } from "../words.js";
/** A bit for every value: set with weight `own` for one's own, `other` for any other, out of 2^bits. */
export interface Unary {
    readonly ratio: Fraction;
    /** Whether one's own bit is set: one word. */
    own(words: Words): boolean;
    /** The bits of `count` values, each drawn as if it were not the own value: one byte each, one word per tie. */
    others(count: number, words: Words): Uint8Array;
}
/** The two weights of unary encoding, checked. */
export declare function makeUnary(own: bigint, other: bigint, bits: number, where: string): Unary;
/** A weight out of 2^bits as the first byte and the other 56 bits of a threshold of 64. */
export interface Limit {
    readonly first: number;
    readonly rest: bigint;
}
/** The threshold of a weight. */
export declare function limitOf(weight: bigint, bits: number): Limit;
/** Packed bits, each set where a random byte is below the first byte of its threshold; a word decides where both are equal. */
export declare function drawBits(count: number, limit: (v: number) => Limit, words: Words): Uint8Array;
/** Set or clear one bit of packed bits. */
export declare function putBit(packed: Uint8Array, v: number, set: boolean): void;
/** A whole report of unary encoding: one's own bit is drawn first and put in last. */
export declare function unaryReport(unary: Unary, count: number, value: number, words: Words): Uint8Array;
/** Read `unary-encoding`. */
export declare function readUnaryEncoding(source: Source): Parts;

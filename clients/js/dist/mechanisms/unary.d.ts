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
/** Set or clear one bit of packed bits. */
export declare function putBit(packed: Uint8Array, v: number, set: boolean): void;
/** A whole report of unary encoding: one's own bit is drawn first and put in last. */
export declare function unaryReport(unary: Unary, count: number, value: number, words: Words): Uint8Array;
/** Read `unary-encoding`. */
export declare function readUnaryEncoding(source: Source): Parts;

import type { Parts, Source } from "../mechanism.js";
import { type Words } from "../words.js";
/** Read `subset-selection`. */
export declare function readSubsetSelection(source: Source): Parts;
/** Digits of `start`/16 after the binary point, without trailing zeros, the last one first. */
export declare function binaryDigits(start: bigint): string[];
/** The set that is reported, a byte for every value. Value and "in" are looked at only when the stand-ins are drawn. */
export declare function chosen(value: number, taken: boolean, d: number, k: number, digits: readonly string[], words: Words): Uint8Array;

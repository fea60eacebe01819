import type { Field, Report } from "../fields.js";
import type { Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import { type Words } from "../words.js";
/** What a slot holds: the place of a key and the position of its number; null where there is no pair. */
export type Slot = {
    readonly key: number;
    readonly position: number;
} | null;
/** A way to randomize keys with their numbers. */
export interface KeyScheme {
    readonly fields: readonly Field[];
    readonly cells: number;
    readonly blocks: number;
    readonly ratio: Fraction;
    respond(slot: Slot, words: Words): Report;
}
/** Read `key-value`: the key is randomized; where it was kept the number is too, elsewhere one is made up. */
export declare function readKeyValue(source: Source): Parts;

import type { Categories } from "./categories.js";
import type { Interval } from "./interval.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
/** A pair: the place of its key, and its number. */
export interface Pair {
    readonly key: number;
    readonly number: number;
}
/** Pairs of a key and a number; with `pairs`, sets of at most `pairs`. */
export interface KeyValues {
    readonly kind: "key-values";
    readonly document: JsonObject;
    readonly keys: Categories;
    readonly interval: Interval;
    readonly pairs: number | null;
    readonly larger: "refuse" | "sample";
    readonly size: number;
    /** One pair, checked. */
    pair(value: unknown): Pair;
    /** A set of pairs with distinct keys, in the order given, checked. */
    set(value: unknown): Pair[];
}
/** Read a document of key-values. */
export declare function readKeyValues(found: Section): KeyValues;

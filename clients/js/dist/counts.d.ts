import { type Interval } from "./interval.js";
import type { Json, JsonObject } from "./json.js";
/** Whole numbers from 0 to `most`, one bin each. */
export interface Counts {
    readonly kind: "counts";
    readonly document: JsonObject;
    readonly most: number;
    readonly bins: number;
    readonly size: number;
    /** The bin of a number, which is the number. */
    bin(value: unknown): number;
    /** The position of a number; `steps` is 1 for counts. */
    position(value: unknown, steps: number): number;
    /** The nearest count; a fraction is refused, even outside. */
    nearest(value: unknown): number;
    /** The interval from -0.5 to most + 0.5 in another number of bins. */
    cut(bins: number): Interval;
}
/** Read a document of counts. */
export declare function readCounts(document: Json | undefined, where: string): Counts;

import { type Interval } from "./interval.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
/** Whole numbers from `least` to `most`, one bin each. */
export interface WholeNumbers<Kind extends string> {
    readonly kind: Kind;
    readonly document: JsonObject;
    readonly least: number;
    readonly most: number;
    readonly bins: number;
    readonly size: number;
    /** What is counted, such as visits; empty where nothing is said. */
    readonly unit: string;
    /** The bin of a number: its distance to the least. */
    bin(value: unknown): number;
    /** The position of a number; `steps` is 1 for whole numbers. */
    position(value: unknown, steps: number): number;
    /** The nearest of the numbers; a fraction is refused, even outside. */
    nearest(value: unknown): number;
    /** The interval from least - 0.5 to most + 0.5 in another number of bins. */
    cut(bins: number): Interval;
}
/** Whole numbers from 0 to `most`. */
export type Counts = WholeNumbers<"counts">;
/** Whole numbers from a lowest to a highest. */
export type Ratings = WholeNumbers<"ratings">;
/** Read a document of counts. */
export declare function readCounts(found: Section): Counts;
/** Read a document of ratings. */
export declare function readRatings(found: Section): Ratings;

import type { JsonObject } from "./json.js";
import { type Section } from "./reading.js";
/** Real numbers from `low` to `high`, both included, in equal bins or between edges. */
export interface Interval {
    readonly kind: "interval";
    readonly document: JsonObject;
    readonly low: number;
    readonly high: number;
    readonly bins: number;
    readonly size: number;
    /** Whether bins are not all equal. */
    readonly uneven: boolean;
    /** Whether the last bin holds every number from `high` on. */
    readonly unbounded: boolean;
    /** What the numbers are of, such as EUR; empty where nothing is said. */
    readonly unit: string;
    /** Where a bin begins; the last one ends at `edge(bins)`. */
    edge(index: number): number;
    /** The bin of a number; anything that is not a number from low to high is refused. */
    bin(value: unknown): number;
    /** The position of a number on a grid of `bins * steps`. */
    position(value: unknown, steps: number): number;
    /** The nearest number of the interval; NaN and values that are not numbers are refused. */
    nearest(value: unknown): number;
    /** The same bounds in another number of bins. */
    cut(bins: number): Interval;
}
/** Read a document of an interval. */
export declare function readInterval(found: Section): Interval;
/** The interval from one number to another, in equal bins or between edges, of which the last may be infinite. */
export declare function makeInterval(low: number, high: number, bins: number, edges?: readonly number[], scale?: string): Interval;
/** What numbers are of: at most 24 characters, none of them a control character, without spaces at the ends. */
export declare function readUnit(found: Section): string;
/** The unit in the last place of a positive double, by its exponent: the distance to the next larger one. */
export declare function lastPlace(value: number): number;

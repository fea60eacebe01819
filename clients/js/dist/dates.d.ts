import { type Interval } from "./interval.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
/** Days from `first` to `last`, both included, in steps of the calendar; a value is text such as 2026-01-31. */
export interface Dates {
    readonly kind: "dates";
    readonly document: JsonObject;
    readonly first: string;
    readonly last: string;
    readonly step: Step;
    readonly bins: number;
    readonly size: number;
    /** The first day of a step. */
    start(index: number): string;
    /** The step of a date. */
    bin(value: unknown): number;
    /** The position of a date; `steps` is 1 where a step is a day. */
    position(value: unknown, steps: number): number;
    /** The nearest of the dates; what is not a date is refused. */
    nearest(value: unknown): string;
    /** The same days, as numbers since 1970, in another number of bins. */
    cut(bins: number): Interval;
}
declare const MONTHS: {
    month: number;
    quarter: number;
    year: number;
};
type Step = "day" | "week" | keyof typeof MONTHS;
/** Read a document of dates. */
export declare function readDates(found: Section): Dates;
export {};

import { type NumberDomain } from "./domain.js";
import type { Dates } from "./dates.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
/** Rows of `coordinates` numbers, each in one interval. */
export interface Vector {
    readonly kind: "vector";
    readonly document: JsonObject;
    readonly interval: Exclude<NumberDomain, Dates>;
    readonly coordinates: number;
    readonly size: number;
    /** The numbers of a row, every one of them checked. */
    row(value: unknown): number[];
}
/** Read a document of vectors; their interval may be of kind counts or ratings. */
export declare function readVector(found: Section): Vector;

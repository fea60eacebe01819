import { type Counts } from "./counts.js";
import { type Interval } from "./interval.js";
import type { Json, JsonObject } from "./json.js";
/** Rows of `coordinates` numbers, each in one interval. */
export interface Vector {
    readonly kind: "vector";
    readonly document: JsonObject;
    readonly interval: Interval | Counts;
    readonly coordinates: number;
    readonly size: number;
    /** The numbers of a row, every one of them checked. */
    row(value: unknown): number[];
}
/** Read a document of vectors; their interval may be of kind counts. */
export declare function readVector(document: Json | undefined, where: string): Vector;

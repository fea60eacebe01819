import type { Json } from "./json.js";
import { type WholeNumbers } from "./whole.js";
/** Whole numbers from 0 to `most`. */
export type Counts = WholeNumbers<"counts">;
/** Read a document of counts. */
export declare function readCounts(document: Json | undefined, where: string): Counts;

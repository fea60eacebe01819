import type { Json } from "./json.js";
import { type WholeNumbers } from "./whole.js";
/** Whole numbers from a lowest to a highest. */
export type Ratings = WholeNumbers<"ratings">;
/** Read a document of ratings. */
export declare function readRatings(document: Json | undefined, where: string): Ratings;

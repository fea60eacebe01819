import type { Json } from "./json.js";
import { FARTHEST_RATING, MOST_INPUTS } from "./limits.js";
import { record, require, whole } from "./reading.js";
import { wholeNumbers, type WholeNumbers } from "./whole.js";

/** Whole numbers from a lowest to a highest. */
export type Ratings = WholeNumbers<"ratings">;

/** Read a document of ratings. */
export function readRatings(document: Json | undefined, where: string): Ratings {
  const found = record(document, ["high", "kind", "low", "version"], where);
  require(found.get("kind") === "ratings", `${where}.kind`, "ratings");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const low = whole(found.get("low"), -FARTHEST_RATING, FARTHEST_RATING, `${where}.low`);
  const most = Math.min(FARTHEST_RATING, low + MOST_INPUTS - 1);
  return wholeNumbers("ratings", found, low, whole(found.get("high"), low + 1, most, `${where}.high`));
}

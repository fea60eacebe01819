import type { Json } from "./json.js";
import { MOST_INPUTS } from "./limits.js";
import { record, require, whole } from "./reading.js";
import { wholeNumbers, type WholeNumbers } from "./whole.js";

/** Whole numbers from 0 to `most`. */
export type Counts = WholeNumbers<"counts">;

/** Read a document of counts. */
export function readCounts(document: Json | undefined, where: string): Counts {
  const found = record(document, ["kind", "most", "version"], where);
  require(found.get("kind") === "counts", `${where}.kind`, "counts");
  whole(found.get("version"), 1, 1, `${where}.version`);
  return wholeNumbers("counts", found, 0, whole(found.get("most"), 0, MOST_INPUTS - 1, `${where}.most`));
}

import { MOST_INPUTS } from "./limits.js";
import { record, require, whole } from "./reading.js";
import { wholeNumbers } from "./whole.js";
/** Read a document of counts. */
export function readCounts(document, where) {
    const found = record(document, ["kind", "most", "version"], where);
    require(found.get("kind") === "counts", `${where}.kind`, "counts");
    whole(found.get("version"), 1, 1, `${where}.version`);
    return wholeNumbers("counts", found, 0, whole(found.get("most"), 0, MOST_INPUTS - 1, `${where}.most`));
}

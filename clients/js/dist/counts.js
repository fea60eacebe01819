import { InvalidValue } from "./errors.js";
import { makeInterval } from "./interval.js";
import { MOST_INPUTS } from "./limits.js";
import { record, require, whole } from "./reading.js";
/** Read a document of counts. */
export function readCounts(document, where) {
    const found = record(document, ["kind", "most", "version"], where);
    require(found.get("kind") === "counts", `${where}.kind`, "counts");
    whole(found.get("version"), 1, 1, `${where}.version`);
    const most = whole(found.get("most"), 0, MOST_INPUTS - 1, `${where}.most`);
    function bin(value) {
        if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > most) {
            throw new InvalidValue(`the value must be a whole number from 0 to ${most}`);
        }
        return value + 0; // -0 becomes 0
    }
    function nearest(value) {
        const right = typeof value === "number" && !Number.isNaN(value) && (Number.isInteger(value) || !Number.isFinite(value));
        if (!right)
            throw new InvalidValue("the value must be a whole number");
        return Math.min(Math.max(value, 0), most);
    }
    return {
        kind: "counts", document: found, most, bins: most + 1, size: most + 1, bin, nearest,
        position: (value, steps) => bin(value) * steps,
        cut: (wide) => makeInterval(-0.5, most + 0.5, wide),
    };
}

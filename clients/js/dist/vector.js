import { InvalidValue } from "./errors.js";
import { isNumeric, readDomain } from "./domain.js";
import { MOST_INPUTS } from "./limits.js";
import { record, refuse, require, whole } from "./reading.js";
/** Read a document of vectors; their interval may be of kind counts or ratings. */
export function readVector(document, where) {
    const found = record(document, ["coordinates", "interval", "kind", "version"], where);
    require(found.get("kind") === "vector", `${where}.kind`, "vector");
    whole(found.get("version"), 1, 1, `${where}.version`);
    const inside = readDomain(found.get("interval"), `${where}.interval`);
    const interval = isNumeric(inside) ? inside : refuse(`${where}.interval.kind`, "interval, counts or ratings");
    const coordinates = whole(found.get("coordinates"), 1, MOST_INPUTS, `${where}.coordinates`);
    function row(value) {
        if (!Array.isArray(value) || value.length !== coordinates) {
            throw new InvalidValue(`the value must be a list of ${coordinates} numbers`);
        }
        // Array.from visits holes too, which are not numbers.
        return Array.from(value, (number) => {
            interval.bin(number);
            return number;
        });
    }
    return { kind: "vector", document: found, interval, coordinates, size: coordinates * interval.bins, row };
}

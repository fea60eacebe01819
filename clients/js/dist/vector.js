import { InvalidValue } from "./errors.js";
import { isNumeric, readDomain } from "./domain.js";
import { MOST_INPUTS } from "./limits.js";
/** Read a document of vectors; their interval may be of kind counts or ratings. */
export function readVector(found) {
    const inside = readDomain(found.get("interval"), `${found.where}.interval`);
    const interval = isNumeric(inside) && inside.kind !== "dates" ? inside : found.refuse("interval", "an interval, counts or ratings");
    const coordinates = found.whole("coordinates", 1, MOST_INPUTS);
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
    return { kind: "vector", document: found.items, interval, coordinates, size: coordinates * interval.bins, row };
}

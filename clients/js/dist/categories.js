import { InvalidValue } from "./errors.js";
import { MOST_INPUTS } from "./limits.js";
import { list, record, refuse, require, whole } from "./reading.js";
/** Read a document of categories, named or numbered. */
export function readCategories(document, where) {
    const found = record(document, ["kind", "size", "values", "version"], where);
    require(found.get("kind") === "categories", `${where}.kind`, "categories");
    whole(found.get("version"), 1, 1, `${where}.version`);
    const size = whole(found.get("size"), 1, MOST_INPUTS, `${where}.size`);
    const values = found.get("values");
    if (values === null)
        return categories(found, size, (value) => numbered(value, size));
    const places = readPlaces(list(values, `${where}.values`), `${where}.values`);
    require(places.size === size, `${where}.size`, "the number of values");
    return categories(found, size, (value) => places.get(keyOf(value)));
}
/** Categories that are the whole numbers below a size. */
export function numberedCategories(size) {
    const document = new Map([["kind", "categories"], ["size", size], ["values", null], ["version", 1]]);
    return categories(document, size, (value) => numbered(value, size));
}
function categories(document, size, find) {
    return {
        kind: "categories",
        document,
        size,
        has: (value) => find(value) !== undefined,
        input: (value) => {
            const place = find(value);
            if (place === undefined)
                throw new InvalidValue("the value must be one of the categories");
            return place;
        },
    };
}
function numbered(value, size) {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= size)
        return undefined;
    return value + 0; // -0 becomes 0
}
/**
 * What a value is looked up by: text, where numbers begin with a NUL, which no text has. Engines hash text with a secret,
 * but numbers without one: a survey could list whole numbers that all fall in one place, and reading it would take minutes.
 */
function keyOf(value) {
    if (typeof value === "number")
        return `\0${value}`;
    return typeof value === "string" && value.startsWith("\0") ? undefined : value;
}
function readPlaces(values, where) {
    const places = new Map();
    for (const value of values) {
        const right = typeof value === "number" || (typeof value === "string" && !value.includes("\0"));
        if (!right)
            refuse(where, "texts without NUL, and whole numbers");
        const key = keyOf(value);
        require(!places.has(key), where, "distinct");
        places.set(key, places.size);
    }
    return places;
}

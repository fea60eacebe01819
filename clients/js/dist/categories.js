import { InvalidValue } from "./errors.js";
import { MOST_INPUTS } from "./limits.js";
import { refuse, demand, sectionOf } from "./reading.js";
/** Read a document of categories, named or numbered. */
export function readCategories(found) {
    const size = found.whole("size", 1, MOST_INPUTS);
    const places = found.get("values") === null ? undefined : readPlaces(found.list("values"), `${found.where}.values`);
    found.require((places?.size ?? size) === size, "size", "the number of values");
    const sensitive = found.items.has("sensitive") ? found.list("sensitive") : undefined;
    const right = sensitive?.every((input, i) => typeof input === "number" && input < size && input > (i === 0 ? -1 : sensitive[i - 1]));
    found.require(sensitive === undefined || (right === true && sensitive.length > 0 && sensitive.length < size), "sensitive", "some inputs, ascending, and not all");
    const find = (value) => (places === undefined ? numbered(value, size) : places.get(keyOf(value)));
    return {
        kind: "categories",
        document: found.items,
        size,
        sensitive,
        has: (value) => find(value) !== undefined,
        input(value) {
            const place = find(value);
            if (place === undefined)
                throw new InvalidValue("the value must be one of the categories");
            return place;
        },
    };
}
/** Categories that are the whole numbers below a size. */
export function numberedCategories(size) {
    return readCategories(sectionOf({ kind: "categories", size, values: null, version: 1 }, "categories"));
}
function numbered(value, size) {
    const number = Number.isInteger(value) ? value : NaN;
    return number >= 0 && number < size ? number + 0 : undefined; // -0 becomes 0
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
        demand(!places.has(keyOf(value)), where, "distinct");
        places.set(keyOf(value), places.size);
    }
    return places;
}

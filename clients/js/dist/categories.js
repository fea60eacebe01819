import { InvalidValue } from "./errors.js";
import { MOST_INPUTS } from "./limits.js";
import { refuse, require } from "./reading.js";
/** Read a document of categories, named or numbered. */
export function readCategories(found) {
    const size = found.whole("size", 1, MOST_INPUTS);
    if (found.get("values") === null)
        return categories(found.items, size, (value) => numbered(value, size));
    const places = readPlaces(found.list("values"), `${found.where}.values`);
    found.require(places.size === size, "size", "the number of values");
    return categories(found.items, size, (value) => places.get(value));
}
/** Categories that are the whole numbers below a size. */
export function numberedCategories(size) {
    const document = { kind: "categories", size, values: null, version: 1 };
    return categories(new Map(Object.entries(document)), size, (value) => numbered(value, size));
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
function readPlaces(values, where) {
    const places = new Map();
    for (const value of values) {
        const right = typeof value === "number" || (typeof value === "string" && !value.includes("\0"));
        if (!right)
            refuse(where, "texts without NUL, and whole numbers");
        require(!places.has(value), where, "distinct");
        places.set(value, places.size);
    }
    return places;
}

import { readCategories } from "./categories.js";
import { readInterval } from "./interval.js";
import { readKeyValues } from "./keyvalues.js";
import { refuse, Section } from "./reading.js";
import { readRecord } from "./record.js";
import { readVector } from "./vector.js";
import { readCounts, readRatings } from "./whole.js";
/** The readers of all kinds, each with the keys of its document beside `kind` and `version`. */
const KINDS = new Map([
    ["categories", [readCategories, "size", "values"]],
    ["interval", [readInterval, "bins", "high", "low"]],
    ["counts", [readCounts, "most"]],
    ["ratings", [readRatings, "high", "low"]],
    ["vector", [readVector, "coordinates", "interval"]],
    ["key-values", [readKeyValues, "interval", "keys", "larger", "pairs"]],
    ["record", [readRecord, "questions"]],
]);
/** Read a domain of any kind. */
export function readDomain(document, where) {
    const kind = document instanceof Map ? document.get("kind") : undefined;
    const [read, ...keys] = KINDS.get(kind) ?? refuse(`${where}.kind`, [...KINDS.keys()].join(" or "));
    const found = new Section(document, [...keys, "kind", "version"], where);
    found.whole("version", 1, 1);
    return read(found);
}
/** Whether a domain is of one number. */
export function isNumeric(domain) {
    return domain.kind === "interval" || domain.kind === "counts" || domain.kind === "ratings";
}
/** Refuse a value that is not in a domain. */
export function checkValue(domain, value) {
    if (domain.kind === "vector")
        domain.row(value);
    else if (domain.kind === "record")
        domain.answers(value);
    else if (domain.kind === "key-values" && domain.pairs !== null)
        domain.set(value);
    else
        inputOf(domain, value, 1);
}
/** The input of one value: a category, a pair of key and bin, or the position of a number among `steps` per bin. */
export function inputOf(domain, value, steps) {
    if (isNumeric(domain))
        return domain.position(value, steps);
    if (domain.kind === "categories")
        return domain.input(value);
    const { key, number } = domain.pair(value);
    return key * domain.interval.bins + domain.interval.bin(number);
}
/** An input of a domain as people know it. */
export function labelOf(domain, index) {
    if (domain.kind === "interval") {
        const edge = (i) => Number((domain.low + (i * (domain.high - domain.low)) / domain.bins).toPrecision(6));
        return `${edge(index)} to ${edge(index + 1)}`;
    }
    const values = domain.document.get("values");
    if (Array.isArray(values))
        return `"${String(values[index])}"`;
    return String("least" in domain ? domain.least + index : index);
}

import { readCategories } from "./categories.js";
import { readCounts } from "./counts.js";
import { readInterval } from "./interval.js";
import { readKeyValues } from "./keyvalues.js";
import { readRatings } from "./ratings.js";
import { refuse } from "./reading.js";
import { readVector } from "./vector.js";
/** Read a domain of any kind. */
export function readDomain(document, where = "domain") {
    const kind = document instanceof Map ? document.get("kind") : undefined;
    switch (kind) {
        case "categories": return readCategories(document, where);
        case "interval": return readInterval(document, where);
        case "counts": return readCounts(document, where);
        case "ratings": return readRatings(document, where);
        case "vector": return readVector(document, where);
        case "key-values": return readKeyValues(document, where);
        default: return refuse(`${where}.kind`, "categories, interval, counts, ratings, vector or key-values");
    }
}
/** Whether a domain is of one number. */
export function isNumeric(domain) {
    return domain.kind === "interval" || domain.kind === "counts" || domain.kind === "ratings";
}
/** Refuse a value that is not in a domain. */
export function checkValue(domain, value) {
    if (domain.kind === "vector")
        domain.row(value);
    else if (domain.kind === "key-values" && domain.pairs !== null)
        domain.set(value);
    else
        inputOf(domain, value);
}
/** The input of one value, for the mechanisms that see nothing finer: a category, a bin, or a pair of key and bin. */
export function inputOf(domain, value) {
    switch (domain.kind) {
        case "categories": return domain.input(value);
        case "interval":
        case "counts":
        case "ratings": return domain.bin(value);
        case "key-values": {
            const pair = domain.pair(value);
            return pair.key * domain.interval.bins + domain.interval.bin(pair.number);
        }
    }
}

import { readCategories } from "./categories.js";
import { readChoices } from "./choices.js";
import { readDates } from "./dates.js";
import { readInterval } from "./interval.js";
import { readKeyValues } from "./keyvalues.js";
import { readMayDecline } from "./maydecline.js";
import { refuse, Section } from "./reading.js";
import { readRecord } from "./record.js";
import { readVector } from "./vector.js";
import { readCounts, readRatings } from "./whole.js";
/** The readers of all kinds, each with the keys of its document beside `kind` and `version`, and those that version 2 adds. */
const KINDS = new Map([
    ["categories", [readCategories, "size values", "sensitive"]],
    ["choices", [readChoices, "most options"]],
    ["interval", [readInterval, "bins high low", "edges open_end scale unit"]],
    ["counts", [readCounts, "most", "unit"]],
    ["dates", [readDates, "first last step"]],
    ["may-decline", [readMayDecline, "domain label"]],
    ["ratings", [readRatings, "high low", "unit"]],
    ["vector", [readVector, "coordinates interval"]],
    ["key-values", [readKeyValues, "interval keys larger pairs"]],
    ["record", [readRecord, "questions"]],
]);
/** Read a domain of any kind. */
export function readDomain(document, where) {
    const kind = document instanceof Map ? document.get("kind") : undefined;
    const [read, keys, more] = KINDS.get(kind) ?? refuse(`${where}.kind`, [...KINDS.keys()].join(" or "));
    const second = more !== undefined && document.get("version") === 2;
    const found = new Section(document, `${keys}${second ? ` ${more}` : ""} kind version`.split(" "), where);
    if (!second)
        found.whole("version", 1, 1);
    return read(found);
}
/** Whether a domain is of one number or date. */
export function isNumeric(domain) {
    return ["interval", "counts", "ratings", "dates"].includes(domain.kind);
}
/** Refuse a value that is not in a domain. */
export function checkValue(domain, value) {
    if (domain.kind === "vector")
        domain.row(value);
    else if (domain.kind === "record")
        domain.answers(value);
    else if (domain.kind === "choices")
        domain.items(value);
    else if (domain.kind === "key-values" && domain.pairs !== null)
        domain.set(value);
    else
        inputOf(domain, value, 1);
}
/** The input of one value: a category, a pair of key and bin, or the position of a number among `steps` per bin. */
export function inputOf(domain, value, steps) {
    if (isNumeric(domain))
        return domain.position(value, steps);
    if (domain.kind === "categories" || domain.kind === "may-decline")
        return domain.input(value);
    const { key, number } = domain.pair(value);
    return key * domain.interval.bins + domain.interval.bin(number);
}
/** An input of a domain as people know it. */
export function labelOf(domain, index) {
    if (domain.kind === "interval") {
        const [from, to] = [domain.edge(index), domain.edge(index + 1)].map((edge) => Number(edge.toPrecision(6)));
        return to === Infinity ? `${from} or more` : `${from} to ${to}`;
    }
    if (domain.kind === "dates")
        return domain.start(index);
    if (domain.kind === "may-decline")
        return index < domain.domain.size ? labelOf(domain.domain, index) : `"${domain.label}"`;
    if (domain.kind === "choices") {
        const { options } = domain;
        return index < options.size ? labelOf(options, index) : `at most ${index - options.size} boxes`;
    }
    const values = domain.document.get("values");
    if (Array.isArray(values))
        return `"${String(values[index])}"`;
    return String("least" in domain ? domain.least + index : index);
}

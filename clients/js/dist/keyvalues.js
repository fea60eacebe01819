import { readCategories } from "./categories.js";
import { InvalidValue } from "./errors.js";
import { readInterval } from "./interval.js";
import { choice, record, require, whole } from "./reading.js";
/** The largest size of a set. */
const MOST_PAIRS = 2 ** 16;
/** Read a document of key-values. */
export function readKeyValues(document, where) {
    const found = record(document, ["interval", "keys", "kind", "larger", "pairs", "version"], where);
    require(found.get("kind") === "key-values", `${where}.kind`, "key-values");
    whole(found.get("version"), 1, 1, `${where}.version`);
    const keys = readCategories(found.get("keys"), `${where}.keys`);
    const interval = readInterval(found.get("interval"), `${where}.interval`);
    const held = found.get("pairs");
    const pairs = held === null ? null : whole(held, 1, MOST_PAIRS, `${where}.pairs`);
    const larger = choice(found.get("larger"), pairs === null ? ["refuse"] : ["refuse", "sample"], `${where}.larger`);
    function pair(value) {
        if (!Array.isArray(value) || value.length !== 2)
            throw new InvalidValue("the value must be a pair [key, number]");
        const key = keys.input(value[0]);
        interval.bin(value[1]);
        return { key, number: value[1] };
    }
    function set(value) {
        const items = value instanceof Map ? [...value] : value;
        if (!Array.isArray(items) || items.length === 0)
            throw new InvalidValue("the value must be a list of pairs");
        if (larger === "refuse" && items.length > pairs)
            throw new InvalidValue(`the value must have at most ${pairs} pairs`);
        const checked = Array.from(items, pair);
        if (new Set(checked.map((one) => one.key)).size !== checked.length)
            throw new InvalidValue("the keys of a set must be distinct");
        return checked;
    }
    const size = keys.size * interval.bins + (pairs === null ? 0 : 1);
    return { kind: "key-values", document: found, keys, interval, pairs, larger, size, pair, set };
}

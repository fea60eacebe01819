import { readDomain } from "./domain.js";
import { InvalidValue } from "./errors.js";
/** The largest size of a set. */
const MOST_PAIRS = 2 ** 16;
/** Read a document of key-values. */
export function readKeyValues(found) {
    const named = readDomain(found.get("keys"), `${found.where}.keys`);
    const keys = named.kind === "categories" ? named : found.refuse("keys", "categories");
    const numbers = readDomain(found.get("interval"), `${found.where}.interval`);
    const interval = numbers.kind === "interval" ? numbers : found.refuse("interval", "an interval");
    const pairs = found.get("pairs") === null ? null : found.whole("pairs", 1, MOST_PAIRS);
    const larger = found.choice("larger", pairs === null ? ["refuse"] : ["refuse", "sample"]);
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
    return { kind: "key-values", document: found.items, keys, interval, pairs, larger, size, pair, set };
}

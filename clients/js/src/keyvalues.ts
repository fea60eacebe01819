import type { Categories } from "./categories.js";
import { readDomain } from "./domain.js";
import { InvalidValue } from "./errors.js";
import type { Interval } from "./interval.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";

/** The largest size of a set. */
const MOST_PAIRS = 2 ** 16;

/** A pair: the place of its key, and its number. */
export interface Pair {
  readonly key: number;
  readonly number: number;
}

/** Pairs of a key and a number; with `pairs`, sets of at most `pairs`. */
export interface KeyValues {
  readonly kind: "key-values";
  readonly document: JsonObject;
  readonly keys: Categories;
  readonly interval: Interval;
  readonly pairs: number | null;
  readonly larger: "refuse" | "sample";
  readonly size: number;
  /** One pair, checked. */
  pair(value: unknown): Pair;
  /** A set of pairs with distinct keys, in the order given, checked. */
  set(value: unknown): Pair[];
}

/** Read a document of key-values. */
export function readKeyValues(found: Section): KeyValues {
  const named = readDomain(found.get("keys"), `${found.where}.keys`);
  const keys = named.kind === "categories" ? named : found.refuse("keys", "categories");
  const numbers = readDomain(found.get("interval"), `${found.where}.interval`);
  const interval = numbers.kind === "interval" ? numbers : found.refuse("interval", "an interval");
  const pairs = found.get("pairs") === null ? null : found.whole("pairs", 1, MOST_PAIRS);
  const larger = found.choice("larger", pairs === null ? ["refuse"] : ["refuse", "sample"]);

  function pair(value: unknown): Pair {
    if (!Array.isArray(value) || value.length !== 2) throw new InvalidValue("the value must be a pair [key, number]");
    const key = keys.input(value[0]);
    interval.bin(value[1]);
    return { key, number: value[1] as number };
  }

  function set(value: unknown): Pair[] {
    const items: unknown = value instanceof Map ? [...value] : value;
    if (!Array.isArray(items) || items.length === 0) throw new InvalidValue("the value must be a list of pairs");
    if (larger === "refuse" && items.length > pairs!) throw new InvalidValue(`the value must have at most ${pairs} pairs`);
    const checked = Array.from(items, pair);
    if (new Set(checked.map((one) => one.key)).size !== checked.length) throw new InvalidValue("the keys of a set must be distinct");
    return checked;
  }

  const size = keys.size * interval.bins + (pairs === null ? 0 : 1);
  return { kind: "key-values", document: found.items, keys, interval, pairs, larger, size, pair, set };
}

import { readDecimal, writeDecimal } from "./decimal.js";
import { InvalidValue } from "./errors.js";
import type { Json, JsonObject } from "./json.js";
import { MOST_EDGES, MOST_INPUTS } from "./limits.js";
import { sectionOf, type Section } from "./reading.js";

/** Real numbers from `low` to `high`, both included, in equal bins or between edges. */
export interface Interval {
  readonly kind: "interval";
  readonly document: JsonObject;
  readonly low: number;
  readonly high: number;
  readonly bins: number;
  readonly size: number;
  /** Whether bins are not all equal. */
  readonly uneven: boolean;
  /** Whether the last bin holds every number from `high` on. */
  readonly unbounded: boolean;
  /** What the numbers are of, such as EUR; empty where nothing is said. */
  readonly unit: string;
  /** Where a bin begins; the last one ends at `edge(bins)`. */
  edge(index: number): number;
  /** The bin of a number; anything that is not a number from low to high is refused. */
  bin(value: unknown): number;
  /** The position of a number on a grid of `bins * steps`. */
  position(value: unknown, steps: number): number;
  /** The nearest number of the interval; NaN and values that are not numbers are refused. */
  nearest(value: unknown): number;
  /** The same bounds in another number of bins. */
  cut(bins: number): Interval;
}

/** Read a document of an interval. */
export function readInterval(found: Section): Interval {
  const low = found.decimal("low").value;
  const high = found.decimal("high").value;
  const bins = found.whole("bins", 1, MOST_INPUTS);
  found.require(low < high && Number.isFinite(high - low), "low", "below high");
  const more = found.items.has("edges");
  const unit = more ? readUnit(found) : "";
  const edges = more && found.get("edges") !== null ? readEdges(found, low, high) : undefined;
  const unbounded = more && found.flag("open_end");
  if (edges === undefined) {
    const width = (high - low) / bins;
    found.require(width >= 16 * lastPlace(Math.max(Math.abs(low), Math.abs(high))), "bins", "such that bins are 16 units in the last place wide");
    found.require(!unbounded, "open_end", "false without edges");
    if (more) found.choice("scale", ["linear"]);
    found.require(!more || unit !== "", "version", "1 without edges and unit");
  } else {
    found.choice("scale", ["linear", "log"]);
    found.require(bins === edges.length - 1 + Number(unbounded), "bins", "as many as there are between the edges, and one more for an open end");
    if (unbounded) edges.push(Infinity);
  }

  const width = (high - low) / bins;
  const edge = (i: number): number => (edges === undefined ? (i === bins ? high : low + i * width) : edges[i]!);

  function bin(value: unknown): number {
    if (typeof value !== "number" || !(value >= low && (unbounded ? value < Infinity : value <= high))) {
      throw new InvalidValue(unbounded ? `the value must be a finite number of at least ${low}` : `the value must be a number from ${low} to ${high}`);
    }
    let [first, last] = [0, bins - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((edges === undefined ? low + middle * width : edges[middle]!) <= value) first = middle;
      else last = middle - 1;
    }
    return first;
  }

  function position(value: unknown, steps: number): number {
    const i = bin(value);
    if (unbounded && i === bins - 1) return i * steps + Math.floor(steps / 2);
    const offset = (value as number) - edge(i);
    const within = Math.floor(edges === undefined ? offset * (steps / width) : (offset / (edges[i + 1]! - edges[i]!)) * steps);
    return i * steps + (within > 0 ? Math.min(within, steps - 1) : 0);
  }

  function nearest(value: unknown): number {
    if (typeof value !== "number" || Number.isNaN(value)) throw new InvalidValue("the value must be a number, and not NaN");
    return Math.min(Math.max(value, low), unbounded && value < Infinity ? Infinity : high);
  }

  return {
    kind: "interval", document: found.items, low, high, bins, size: bins, uneven: edges !== undefined, unbounded, unit, edge, bin, position, nearest,
    cut: (wide) => (edges === undefined ? makeInterval(low, high, wide) : makeInterval(low, high, wide, edges.filter((_, i) => i % (bins / wide) === 0), String(found.get("scale")))),
  };
}

/** The interval from one number to another, in equal bins or between edges, of which the last may be infinite. */
export function makeInterval(low: number, high: number, bins: number, edges?: readonly number[], scale = ""): Interval {
  const finite = edges?.filter((edge) => edge < Infinity);
  const end = finite?.[finite.length - 1] ?? high;
  const parts: Record<string, Json> = { bins, high: writeDecimal(end), kind: "interval", low: writeDecimal(low), version: 1 };
  const more = { edges: finite?.map(writeDecimal) ?? null, open_end: finite?.length !== edges?.length, scale, unit: "", version: 2 };
  return readInterval(sectionOf(edges === undefined ? parts : { ...parts, ...more }, "interval"));
}

/** Edges of bins: decimals that increase from the low bound to the high one. */
function readEdges(found: Section, low: number, high: number): number[] {
  const edges = found.list("edges").map((edge) => readDecimal(edge)?.value ?? found.refuse("edges", "decimals as text, in their shortest form"));
  const right = edges.length >= 2 && edges.length <= MOST_EDGES && edges[0] === low && edges[edges.length - 1] === high && edges.every((edge, i) => i === 0 || edges[i - 1]! < edge);
  found.require(right, "edges", `2 to ${MOST_EDGES} numbers that increase from low to high`);
  return edges;
}

/** What numbers are of: at most 24 characters, none of them a control character, without spaces at the ends. */
export function readUnit(found: Section): string {
  const unit = found.text("unit");
  found.require(/^(?:(?! )[^\u0000-\u001f\u007f-\u009f]{0,23}[^\u0000-\u0020\u007f-\u009f])?$/u.test(unit), "unit", "text of at most 24 characters, without control characters and spaces at the ends");
  return unit;
}

/** The unit in the last place of a positive double, by its exponent: the distance to the next larger one. */
export function lastPlace(value: number): number {
  const [bits] = new BigUint64Array(Float64Array.of(value).buffer);
  return 2 ** (Math.max(Number(bits! >> 52n), 1) - 1075);
}

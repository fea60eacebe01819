import { InvalidValue } from "./errors.js";
import { makeInterval, type Interval } from "./interval.js";
import type { Json, JsonObject } from "./json.js";
import { MOST_INPUTS } from "./limits.js";
import { record, require, whole } from "./reading.js";

/** Whole numbers from 0 to `most`, one bin each. */
export interface Counts {
  readonly kind: "counts";
  readonly document: JsonObject;
  readonly most: number;
  readonly bins: number;
  readonly size: number;
  /** The bin of a number, which is the number. */
  bin(value: unknown): number;
  /** The position of a number; `steps` is 1 for counts. */
  position(value: unknown, steps: number): number;
  /** The nearest count; a fraction is refused, even outside. */
  nearest(value: unknown): number;
  /** The interval from -0.5 to most + 0.5 in another number of bins. */
  cut(bins: number): Interval;
}

/** Read a document of counts. */
export function readCounts(document: Json | undefined, where: string): Counts {
  const found = record(document, ["kind", "most", "version"], where);
  require(found.get("kind") === "counts", `${where}.kind`, "counts");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const most = whole(found.get("most"), 0, MOST_INPUTS - 1, `${where}.most`);

  function bin(value: unknown): number {
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > most) {
      throw new InvalidValue(`the value must be a whole number from 0 to ${most}`);
    }
    return value + 0; // -0 becomes 0
  }

  function nearest(value: unknown): number {
    const right = typeof value === "number" && !Number.isNaN(value) && (Number.isInteger(value) || !Number.isFinite(value));
    if (!right) throw new InvalidValue("the value must be a whole number");
    return Math.min(Math.max(value, 0), most);
  }

  return {
    kind: "counts", document: found, most, bins: most + 1, size: most + 1, bin, nearest,
    position: (value, steps) => bin(value) * steps,
    cut: (wide) => makeInterval(-0.5, most + 0.5, wide),
  };
}

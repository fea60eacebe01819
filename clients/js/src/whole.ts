import { InvalidValue } from "./errors.js";
import { makeInterval, readUnit, type Interval } from "./interval.js";
import type { JsonObject } from "./json.js";
import { FARTHEST_RATING, MOST_INPUTS } from "./limits.js";
import type { Section } from "./reading.js";

/** Whole numbers from `least` to `most`, one bin each. */
export interface WholeNumbers<Kind extends string> {
  readonly kind: Kind;
  readonly document: JsonObject;
  readonly least: number;
  readonly most: number;
  readonly bins: number;
  readonly size: number;
  /** What is counted, such as visits; empty where nothing is said. */
  readonly unit: string;
  /** The bin of a number: its distance to the least. */
  bin(value: unknown): number;
  /** The position of a number; `steps` is 1 for whole numbers. */
  position(value: unknown, steps: number): number;
  /** The nearest of the numbers; a fraction is refused, even outside. */
  nearest(value: unknown): number;
  /** The interval from least - 0.5 to most + 0.5 in another number of bins. */
  cut(bins: number): Interval;
}

/** Whole numbers from 0 to `most`. */
export type Counts = WholeNumbers<"counts">;
/** Whole numbers from a lowest to a highest. */
export type Ratings = WholeNumbers<"ratings">;

/** Read a document of counts. */
export function readCounts(found: Section): Counts {
  return wholeNumbers("counts", found, 0, found.whole("most", 0, MOST_INPUTS - 1));
}

/** Read a document of ratings. */
export function readRatings(found: Section): Ratings {
  const low = found.whole("low", -FARTHEST_RATING, FARTHEST_RATING);
  const most = Math.min(FARTHEST_RATING, low + MOST_INPUTS - 1);
  return wholeNumbers("ratings", found, low, found.whole("high", low + 1, most));
}

/** Whole numbers of one kind, whose bounds are known to be right. */
function wholeNumbers<Kind extends string>(kind: Kind, found: Section, least: number, most: number): WholeNumbers<Kind> {
  const document = found.items;
  const unit = document.has("unit") ? readUnit(found) : "";
  found.require(!document.has("unit") || unit !== "", "unit", "left out, with version 1, where it is empty");

  function bin(value: unknown): number {
    const number = Number.isInteger(value) ? (value as number) : NaN;
    if (number >= least && number <= most) return number - least + 0; // -0 becomes 0
    throw new InvalidValue(`the value must be a whole number from ${least} to ${most}`);
  }

  function nearest(value: unknown): number {
    const right = Number.isInteger(value) || value === Infinity || value === -Infinity;
    if (!right) throw new InvalidValue("the value must be a whole number");
    return Math.min(Math.max(value as number, least), most);
  }

  const bins = most - least + 1;
  return {
    kind, document, least, most, bins, size: bins, unit, bin, nearest,
    position: (value, steps) => bin(value) * steps,
    cut: (wide) => makeInterval(least - 0.5, most + 0.5, wide),
  };
}

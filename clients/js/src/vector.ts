import { InvalidValue } from "./errors.js";
import { isNumeric, readDomain, type NumberDomain } from "./domain.js";
import type { Dates } from "./dates.js";
import type { JsonObject } from "./json.js";
import { MOST_INPUTS } from "./limits.js";
import type { Section } from "./reading.js";

/** Rows of `coordinates` numbers, each in one interval. */
export interface Vector {
  readonly kind: "vector";
  readonly document: JsonObject;
  readonly interval: Exclude<NumberDomain, Dates>;
  readonly coordinates: number;
  readonly size: number;
  /** The numbers of a row, every one of them checked. */
  row(value: unknown): number[];
}

/** Read a document of vectors; their interval may be of kind counts or ratings. */
export function readVector(found: Section): Vector {
  const inside = readDomain(found.get("interval"), `${found.where}.interval`);
  const interval = isNumeric(inside) && inside.kind !== "dates" ? inside : found.refuse("interval", "an interval, counts or ratings");
  const coordinates = found.whole("coordinates", 1, MOST_INPUTS);

  function row(value: unknown): number[] {
    if (!Array.isArray(value) || value.length !== coordinates) {
      throw new InvalidValue(`the value must be a list of ${coordinates} numbers`);
    }
    // Array.from visits holes too, which are not numbers.
    return Array.from(value, (number: unknown) => {
      interval.bin(number);
      return number as number;
    });
  }

  return { kind: "vector", document: found.items, interval, coordinates, size: coordinates * interval.bins, row };
}

import { readCategories, type Categories } from "./categories.js";
import { readCounts, type Counts } from "./counts.js";
import { readInterval, type Interval } from "./interval.js";
import type { Json } from "./json.js";
import { readKeyValues, type KeyValues } from "./keyvalues.js";
import { readRatings, type Ratings } from "./ratings.js";
import { refuse } from "./reading.js";
import { readVector, type Vector } from "./vector.js";

/** What a value may be. `size` is the number of inputs. */
export type Domain = Categories | NumberDomain | Vector | KeyValues;
/** The domains of which a mechanism for categories sees one input per person. */
export type SingleDomain = Exclude<Domain, Vector>;
/** The domains of one number. */
export type NumberDomain = Interval | Counts | Ratings;

/** Read a domain of any kind. */
export function readDomain(document: Json | undefined, where = "domain"): Domain {
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
export function isNumeric(domain: Domain): domain is NumberDomain {
  return domain.kind === "interval" || domain.kind === "counts" || domain.kind === "ratings";
}

/** Refuse a value that is not in a domain. */
export function checkValue(domain: Domain, value: unknown): void {
  if (domain.kind === "vector") domain.row(value);
  else if (domain.kind === "key-values" && domain.pairs !== null) domain.set(value);
  else inputOf(domain, value);
}

/** The input of one value, for the mechanisms that see nothing finer: a category, a bin, or a pair of key and bin. */
export function inputOf(domain: SingleDomain, value: unknown): number {
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

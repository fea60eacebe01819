import { readCategories, type Categories } from "./categories.js";
import { readChoices, type Choices } from "./choices.js";
import { readDates, type Dates } from "./dates.js";
import { readInterval, type Interval } from "./interval.js";
import type { Json, JsonObject } from "./json.js";
import { readKeyValues, type KeyValues } from "./keyvalues.js";
import { readMayDecline, type MayDecline } from "./maydecline.js";
import { refuse, Section } from "./reading.js";
import { readRecord, type Questions } from "./record.js";
import { readVector, type Vector } from "./vector.js";
import { readCounts, readRatings, type Counts, type Ratings } from "./whole.js";

/** What a value may be. `size` is the number of inputs. */
export type Domain = Categories | Choices | MayDecline | NumberDomain | Vector | KeyValues | Questions;
/** The domains of which a mechanism for categories sees one input per person. */
export type SingleDomain = Exclude<Domain, Choices | Vector | Questions>;
/** The domains of one plain answer. */
export type PlainDomain = Categories | MayDecline | NumberDomain;
/** The domains of one number or date. */
export type NumberDomain = Interval | Counts | Ratings | Dates;

/** The readers of all kinds, each with the keys of its document beside `kind` and `version`, and those that version 2 adds. */
const KINDS = new Map<unknown, readonly [(found: Section) => Domain, string, string?]>([
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
export function readDomain(document: Json | undefined, where: string): Domain {
  const kind = document instanceof Map ? document.get("kind") : undefined;
  const [read, keys, more] = KINDS.get(kind) ?? refuse(`${where}.kind`, [...KINDS.keys()].join(" or "));
  const second = more !== undefined && (document as JsonObject).get("version") === 2;
  const found = new Section(document, `${keys}${second ? ` ${more}` : ""} kind version`.split(" "), where);
  if (!second) found.whole("version", 1, 1);
  return read(found);
}

/** Whether a domain is of one number or date. */
export function isNumeric(domain: Domain): domain is NumberDomain {
  return ["interval", "counts", "ratings", "dates"].includes(domain.kind);
}

/** Refuse a value that is not in a domain. */
export function checkValue(domain: Domain, value: unknown): void {
  if (domain.kind === "vector") domain.row(value);
  else if (domain.kind === "record") domain.answers(value);
  else if (domain.kind === "choices") domain.items(value);
  else if (domain.kind === "key-values" && domain.pairs !== null) domain.set(value);
  else inputOf(domain, value, 1);
}

/** The input of one value: a category, a pair of key and bin, or the position of a number among `steps` per bin. */
export function inputOf(domain: SingleDomain, value: unknown, steps: number): number {
  if (isNumeric(domain)) return domain.position(value, steps);
  if (domain.kind === "categories" || domain.kind === "may-decline") return domain.input(value);
  const { key, number } = domain.pair(value);
  return key * domain.interval.bins + domain.interval.bin(number);
}

/** An input of a domain as people know it. */
export function labelOf(domain: Domain, index: number): string {
  if (domain.kind === "interval") {
    const [from, to] = [domain.edge(index), domain.edge(index + 1)].map((edge) => Number(edge.toPrecision(6)));
    return to === Infinity ? `${from} or more` : `${from} to ${to}`;
  }
  if (domain.kind === "dates") return domain.start(index);
  if (domain.kind === "may-decline") return index < domain.domain.size ? labelOf(domain.domain, index) : `"${domain.label}"`;
  if (domain.kind === "choices") {
    const { options } = domain;
    return index < options.size ? labelOf(options, index) : `at most ${index - options.size} boxes`;
  }
  const values = domain.document.get("values");
  if (Array.isArray(values)) return `"${String(values[index])}"`;
  return String("least" in domain ? domain.least + index : index);
}

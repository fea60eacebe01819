import { keeps, type Certificate } from "./certificate.js";
import type { Decimal } from "./decimal.js";
import { readDomain, type Domain } from "./domain.js";
import { payloadBytes, type Field, type Report } from "./fields.js";
import type { Fraction } from "./fraction.js";
import type { Json, JsonObject } from "./json.js";
import { MOST_INPUTS, MOST_REPORT_BYTES } from "./limits.js";
import { READERS } from "./mechanisms/registry.js";
import { demand, Section, sectionOf } from "./reading.js";
import type { Words } from "./words.js";

/** What a reader of one mechanism makes: all that a device needs of it. */
export interface Parts {
  readonly fields: readonly Field[];
  /** The length of a tally, which is limited. */
  readonly cells: number;
  /** How many cells one report falls in; 1 unless said otherwise. */
  readonly blocks?: number;
  /** Number of positions per input: 1, or `steps`; 0 or missing where the mechanism cannot be asked by position. */
  readonly steps?: number;
  readonly certificate: Certificate;
  /** The report of a value. The value is refused before the first word is drawn. */
  respond(value: unknown, words: Words): Report;
  /** What a report of one number says, where it is more than that number. */
  inWords?(number: number): string;
  /** The report of a position, where the mechanism is one of a single number or category. */
  respondAt?(position: number, words: Words): Report;
  /** Public hashes of which a report names one. */
  readonly family?: Family;
  /** What a device keeps, where it answers from memory; `respond` is then the first report of a device. */
  readonly memory?: Memory;
}

/** Hash functions that everybody knows. */
export interface Family {
  /** The same for all mechanisms of which a device keeps one hash. */
  readonly name: string;
  readonly hashes: number;
  cell(hash: number, position: number): number;
}

/** A permanent answer that is drawn once for an entry and kept, and a fresh report over it in every window. */
export interface Memory {
  /** The epsilon of all reports of one value together. */
  readonly lifetime: Decimal;
  /** The worst ratio of all of them: that of what is kept. */
  readonly ratio: Fraction;
  readonly family: Family | undefined;
  /** The position of a value, which is refused where it is not in the domain. */
  position(value: unknown): number;
  /** The hash that a device keeps; 0, without a word, where there are none. */
  hash(words: Words): number;
  /** Which memo is of a position: the cell of the device's hash, or the position itself. */
  entry(hash: number, position: number): number;
  remember(entry: number, words: Words): number | Uint8Array;
  report(hash: number, memo: number | Uint8Array, words: Words): Report;
  /** An epsilon that all reports keep together, between any two histories of so many distinct answers in so many windows. */
  cost(answers: number, windows?: number): number;
}

/** A mechanism whose weights were checked. */
export interface Mechanism extends Parts {
  readonly name: string;
  readonly document: JsonObject;
  readonly domain: Domain;
  readonly epsilon: Decimal;
}

/** What a reader of one mechanism is given. */
export interface Source {
  readonly document: JsonObject;
  readonly domain: Domain;
  readonly epsilon: Decimal;
  readonly options: Json;
  readonly weights: Json;
  readonly where: string;
}

/** Read a mechanism's document and check it: domain, options, limits, weights, ratio. */
export function readMechanism(value: Json | undefined, where = "mechanism"): Mechanism {
  const found = new Section(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
  found.whole("version", 2, 2);
  return build(found, readDomain(found.get("domain"), `${where}.domain`));
}

/** A mechanism inside another, by its parts: it has its own document and fingerprint. */
export function innerMechanism(mechanism: string, domain: Domain, epsilon: Decimal, options: Json, weights: Json, where: string): Mechanism {
  const inner = build(sectionOf({ domain: domain.document, epsilon: epsilon.text, mechanism, options, version: 2, weights }, where), domain);
  demand(inner.memory === undefined, where, "a mechanism without memory: inside another nothing would be kept");
  return inner;
}

function build(found: Section, domain: Domain): Mechanism {
  const { where, items: document } = found;
  const name = found.text("mechanism");
  const reader = READERS.get(name) ?? found.refuse("mechanism", "the name of a mechanism");
  const epsilon = found.decimal("epsilon");
  found.require(epsilon.value >= 0.000001 && epsilon.value <= 20, "epsilon", "from 0.000001 to 20");
  found.require(domain.kind === "record" || domain.kind === "choices" || domain.size <= MOST_INPUTS, "domain", "of at most 2,500,000 inputs");
  const parts = reader({ document, domain, epsilon, options: found.get("options"), weights: found.get("weights"), where });
  demand(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
  demand(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
  found.require(keeps(parts.certificate, epsilon), "weights", `such that no ratio exceeds e^${epsilon.text}`);
  return { ...parts, name, document, domain, epsilon };
}

import { keeps, type Certificate } from "./certificate.js";
import type { Decimal } from "./decimal.js";
import { readDomain, type Domain } from "./domain.js";
import { payloadBytes, type Field, type Report } from "./fields.js";
import type { Json, JsonObject } from "./json.js";
import { MOST_INPUTS, MOST_REPORT_BYTES } from "./limits.js";
import { READERS } from "./mechanisms/registry.js";
import { decimal, record, refuse, require, text, whole } from "./reading.js";
import type { Words } from "./words.js";

/** What a reader of one mechanism makes: all that a device needs of it. */
export interface Parts {
  readonly fields: readonly Field[];
  /** The length of a tally, which is limited. */
  readonly cells: number;
  /** How many cells one report falls in. */
  readonly blocks: number;
  /** Number of positions per input: 1, or `steps`; 0 where the mechanism cannot be asked by position. */
  readonly steps: number;
  readonly certificate: Certificate;
  /** The report of a value. The value is refused before the first word is drawn. */
  respond(value: unknown, words: Words): Report;
  /** The report of a position, where the mechanism is one of a single number or category. */
  respondAt(position: number, words: Words): Report;
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
  const document = record(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
  whole(document.get("version"), 2, 2, `${where}.version`);
  return build(document, readDomain(document.get("domain"), `${where}.domain`), where);
}

/** A mechanism inside another, by its parts: it has its own document and fingerprint. */
export function innerMechanism(name: string, domain: Domain, epsilon: Decimal, options: Json, weights: Json, where: string): Mechanism {
  const document: JsonObject = new Map<string, Json>([
    ["domain", domain.document], ["epsilon", epsilon.text], ["mechanism", name],
    ["options", options], ["version", 2], ["weights", weights],
  ]);
  return build(document, domain, where);
}

function build(document: JsonObject, domain: Domain, where: string): Mechanism {
  const name = text(document.get("mechanism"), `${where}.mechanism`);
  const reader = READERS.get(name) ?? refuse(`${where}.mechanism`, "the name of a mechanism");
  const epsilon = decimal(document.get("epsilon"), `${where}.epsilon`);
  require(epsilon.value >= 0.000001 && epsilon.value <= 20, `${where}.epsilon`, "from 0.000001 to 20");
  require(domain.size <= MOST_INPUTS, `${where}.domain`, "of at most 2,500,000 inputs");
  const options = document.get("options")!;
  const parts = reader({ document, domain, epsilon, options, weights: document.get("weights")!, where });
  require(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
  require(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
  require(keeps(parts.certificate, epsilon), `${where}.weights`, `such that no ratio exceeds e^${epsilon.text}`);
  return { name, document, domain, epsilon, ...parts };
}

import { inputOf, readDomain, type PlainDomain } from "./domain.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
import { NAME } from "./record.js";
import { InvalidValue } from "./errors.js";

/** Answers of a domain, or the label of who would rather not say, which is one input more: the last. */
export interface MayDecline {
  readonly kind: "may-decline";
  readonly document: JsonObject;
  readonly domain: Exclude<PlainDomain, MayDecline>;
  readonly label: string;
  readonly size: number;
  /** The input of a value. */
  input(value: unknown): number;
}

/** Read a document of answers that people may decline to give. */
export function readMayDecline(found: Section): MayDecline {
  const inner = readDomain(found.get("domain"), `${found.where}.domain`);
  const plain = inner.kind === "categories" || inner.kind === "interval" || inner.kind === "counts" || inner.kind === "ratings" || inner.kind === "dates";
  const domain = plain && !("sensitive" in inner && inner.sensitive !== undefined) ? inner : found.refuse("domain", "of one value per person, none of them sensitive");
  const label = found.text("label");
  found.require(NAME.test(label), "label", "text of 1 to 100 characters, without control characters and spaces at the ends");
  found.require(!holds(domain, label), "label", "none of the answers");
  return {
    kind: "may-decline", document: found.items, domain, label, size: domain.size + 1,
    input: (value) => (value === label ? domain.size : inputOf(domain, value, 1)),
  };
}

function holds(domain: PlainDomain, value: unknown): boolean {
  try {
    inputOf(domain, value, 1);
    return true;
  } catch (error) {
    if (error instanceof InvalidValue) return false;
    throw error;
  }
}

import { readDecimal, type Decimal } from "./decimal.js";
import { InvalidSurvey } from "./errors.js";
import type { Json, JsonObject } from "./json.js";

/** No weight has more digits: the largest is 2^128. */
const MOST_DIGITS = 39;

/** Refuse a document. */
export function refuse(where: string, must: string): never {
  throw new InvalidSurvey(`${where} must be ${must}`);
}

/** Refuse a document unless something holds. */
export function require(condition: boolean, where: string, must: string): asserts condition {
  if (!condition) refuse(where, must);
}

/** An object with exactly these keys. */
export function record(value: Json | undefined, keys: readonly string[], where: string): JsonObject {
  if (!(value instanceof Map)) refuse(where, "an object");
  require(value.size === keys.length && keys.every((key) => value.has(key)), where, `an object with ${keys.join(", ")}`);
  return value;
}

/** A list. */
export function list(value: Json | undefined, where: string): Json[] {
  if (!Array.isArray(value)) refuse(where, "a list");
  return value;
}

/** A text. */
export function text(value: Json | undefined, where: string): string {
  if (typeof value !== "string") refuse(where, "text");
  return value;
}

/** One of a few texts. */
export function choice<T extends string>(value: Json | undefined, allowed: readonly T[], where: string): T {
  const found = allowed.find((one) => one === value);
  return found ?? refuse(where, allowed.join(" or "));
}

/** True or false. */
export function flag(value: Json | undefined, where: string): boolean {
  if (typeof value !== "boolean") refuse(where, "true or false");
  return value;
}

/** A whole number within bounds, both included. */
export function whole(value: Json | undefined, least: number, most: number, where: string): number {
  if (typeof value !== "number" || value < least || value > most) refuse(where, `a whole number from ${least} to ${most}`);
  return value;
}

/** A weight: a whole number, not negative, as decimal text. */
export function weight(value: Json | undefined, where: string): bigint {
  if (typeof value !== "string" || value.length > MOST_DIGITS || !/^(?:0|[1-9][0-9]*)$/.test(value)) {
    refuse(where, "a whole number as decimal text");
  }
  return BigInt(value);
}

/** An object of weights with exactly these names. */
export function weightsNamed<K extends string>(value: Json | undefined, names: readonly K[], where: string): Record<K, bigint> {
  const found = record(value, names, where);
  const weights = {} as Record<K, bigint>;
  for (const name of names) weights[name] = weight(found.get(name), `${where}.${name}`);
  return weights;
}

/** A text of so many hexadecimal digits in lower case. */
export function digits(value: Json | undefined, count: number, where: string): string {
  const found = text(value, where);
  require(found.length === count && /^[0-9a-f]*$/.test(found), where, `${count} hexadecimal digits in lower case`);
  return found;
}

/** A real number, as the shortest decimal of its double. */
export function decimal(value: Json | undefined, where: string): Decimal {
  const found = typeof value === "string" ? readDecimal(value) : undefined;
  return found ?? refuse(where, "a decimal as text, in its shortest form");
}

/** A list of weights. */
export function readWeightRow(value: Json | undefined, where: string): bigint[] {
  return list(value, where).map((one) => weight(one, where));
}

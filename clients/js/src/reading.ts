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
export function demand(condition: boolean, where: string, must: string): asserts condition {
  if (!condition) refuse(where, must);
}

/** A list. */
export function list(value: Json | undefined, where: string): Json[] {
  return Array.isArray(value) ? value : refuse(where, "a list");
}

/** A weight: a whole number, not negative, as decimal text. */
export function weight(value: Json | undefined, where: string): bigint {
  const right = typeof value === "string" && value.length <= MOST_DIGITS && /^(?:0|[1-9][0-9]*)$/.test(value);
  return right ? BigInt(value) : refuse(where, "a whole number as decimal text");
}

/** An object of weights with exactly these names. */
export function weightsNamed<K extends string>(value: Json | undefined, names: readonly K[], where: string): Record<K, bigint> {
  const found = new Section(value, names, where);
  return Object.fromEntries(names.map((name) => [name, weight(found.get(name), `${where}.${name}`)])) as Record<K, bigint>;
}

/** An object of a document that is known to be right. */
export function sectionOf(parts: Record<string, Json>, where: string): Section {
  return new Section(new Map(Object.entries(parts)), Object.keys(parts), where);
}

/** An object of a document that has exactly some keys, each read by its name; `where` is what messages call it. */
export class Section {
  readonly items: JsonObject;

  constructor(value: Json | undefined, keys: readonly string[], readonly where: string) {
    const right = value instanceof Map && value.size === keys.length && keys.every((key) => value.has(key));
    this.items = right ? value : refuse(where, `an object with ${keys.join(", ")}`);
  }

  get(key: string): Json {
    return this.items.get(key)!;
  }

  refuse(key: string, must: string): never {
    refuse(`${this.where}.${key}`, must);
  }

  require(condition: boolean, key: string, must: string): void {
    if (!condition) this.refuse(key, must);
  }

  list(key: string): Json[] {
    return list(this.get(key), `${this.where}.${key}`);
  }

  text(key: string): string {
    const value = this.get(key);
    return typeof value === "string" ? value : this.refuse(key, "text");
  }

  flag(key: string): boolean {
    const value = this.get(key);
    return typeof value === "boolean" ? value : this.refuse(key, "true or false");
  }

  choice<T extends string>(key: string, allowed: readonly T[]): T {
    const value = this.get(key);
    return allowed.find((one) => one === value) ?? this.refuse(key, allowed.join(" or "));
  }

  whole(key: string, least: number, most: number): number {
    const value = this.get(key);
    const right = typeof value === "number" && value >= least && value <= most;
    return right ? value : this.refuse(key, `a whole number from ${least} to ${most}`);
  }

  decimal(key: string): Decimal {
    return readDecimal(this.get(key)) ?? this.refuse(key, "a decimal as text, in its shortest form");
  }

  /** So many hexadecimal digits in lower case. */
  digits(key: string, count: number): string {
    const value = this.text(key);
    return value.length === count && /^[0-9a-f]*$/.test(value) ? value : this.refuse(key, `${count} hexadecimal digits in lower case`);
  }
}

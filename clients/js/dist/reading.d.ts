import { type Decimal } from "./decimal.js";
import type { Json, JsonObject } from "./json.js";
/** Refuse a document. */
export declare function refuse(where: string, must: string): never;
/** Refuse a document unless something holds. */
export declare function require(condition: boolean, where: string, must: string): asserts condition;
/** An object with exactly these keys. */
export declare function record(value: Json | undefined, keys: readonly string[], where: string): JsonObject;
/** A list. */
export declare function list(value: Json | undefined, where: string): Json[];
/** A text. */
export declare function text(value: Json | undefined, where: string): string;
/** One of a few texts. */
export declare function choice<T extends string>(value: Json | undefined, allowed: readonly T[], where: string): T;
/** True or false. */
export declare function flag(value: Json | undefined, where: string): boolean;
/** A whole number within bounds, both included. */
export declare function whole(value: Json | undefined, least: number, most: number, where: string): number;
/** A weight: a whole number, not negative, as decimal text. */
export declare function weight(value: Json | undefined, where: string): bigint;
/** An object of weights with exactly these names. */
export declare function weightsNamed<K extends string>(value: Json | undefined, names: readonly K[], where: string): Record<K, bigint>;
/** A text of so many hexadecimal digits in lower case. */
export declare function digits(value: Json | undefined, count: number, where: string): string;
/** A real number, as the shortest decimal of its double. */
export declare function decimal(value: Json | undefined, where: string): Decimal;
/** A list of weights. */
export declare function readWeightRow(value: Json | undefined, where: string): bigint[];

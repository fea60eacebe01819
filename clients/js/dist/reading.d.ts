import { type Decimal } from "./decimal.js";
import type { Json, JsonObject } from "./json.js";
/** Refuse a document. */
export declare function refuse(where: string, must: string): never;
/** Refuse a document unless something holds. */
export declare function demand(condition: boolean, where: string, must: string): asserts condition;
/** A list. */
export declare function list(value: Json | undefined, where: string): Json[];
/** A weight: a whole number, not negative, as decimal text. */
export declare function weight(value: Json | undefined, where: string): bigint;
/** An object of weights with exactly these names. */
export declare function weightsNamed<K extends string>(value: Json | undefined, names: readonly K[], where: string): Record<K, bigint>;
/** An object of a document that is known to be right. */
export declare function sectionOf(parts: Record<string, Json>, where: string): Section;
/** An object of a document that has exactly some keys, each read by its name; `where` is what messages call it. */
export declare class Section {
    readonly where: string;
    readonly items: JsonObject;
    constructor(value: Json | undefined, keys: readonly string[], where: string);
    get(key: string): Json;
    refuse(key: string, must: string): never;
    require(condition: boolean, key: string, must: string): void;
    list(key: string): Json[];
    text(key: string): string;
    flag(key: string): boolean;
    choice<T extends string>(key: string, allowed: readonly T[]): T;
    whole(key: string, least: number, most: number): number;
    decimal(key: string): Decimal;
    /** So many hexadecimal digits in lower case. */
    digits(key: string, count: number): string;
}

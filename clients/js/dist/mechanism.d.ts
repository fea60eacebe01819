import { type Certificate } from "./certificate.js";
import type { Decimal } from "./decimal.js";
import { type Domain } from "./domain.js";
import { type Field, type Report } from "./fields.js";
import type { Json, JsonObject } from "./json.js";
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
export declare function readMechanism(value: Json | undefined, where?: string): Mechanism;
/** A mechanism inside another, by its parts: it has its own document and fingerprint. */
export declare function innerMechanism(mechanism: string, domain: Domain, epsilon: Decimal, options: Json, weights: Json, where: string): Mechanism;

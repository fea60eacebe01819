import { type Categories } from "./categories.js";
import { type Choices } from "./choices.js";
import { type Dates } from "./dates.js";
import { type Interval } from "./interval.js";
import type { Json } from "./json.js";
import { type KeyValues } from "./keyvalues.js";
import { type MayDecline } from "./maydecline.js";
import { type Questions } from "./record.js";
import { type Vector } from "./vector.js";
import { type Counts, type Ratings } from "./whole.js";
/** What a value may be. `size` is the number of inputs. */
export type Domain = Categories | Choices | MayDecline | NumberDomain | Vector | KeyValues | Questions;
/** The domains of which a mechanism for categories sees one input per person. */
export type SingleDomain = Exclude<Domain, Choices | Vector | Questions>;
/** The domains of one plain answer. */
export type PlainDomain = Categories | MayDecline | NumberDomain;
/** The domains of one number or date. */
export type NumberDomain = Interval | Counts | Ratings | Dates;
/** Read a domain of any kind. */
export declare function readDomain(document: Json | undefined, where: string): Domain;
/** Whether a domain is of one number or date. */
export declare function isNumeric(domain: Domain): domain is NumberDomain;
/** Refuse a value that is not in a domain. */
export declare function checkValue(domain: Domain, value: unknown): void;
/** The input of one value: a category, a pair of key and bin, or the position of a number among `steps` per bin. */
export declare function inputOf(domain: SingleDomain, value: unknown, steps: number): number;
/** An input of a domain as people know it. */
export declare function labelOf(domain: Domain, index: number): string;

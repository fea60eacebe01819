import { type PlainDomain } from "./domain.js";
import type { JsonObject } from "./json.js";
import { Section } from "./reading.js";
/** A question of a record. */
export interface Question {
    readonly name: string;
    readonly domain: PlainDomain;
}
/** Answers to several questions of one person: an object with the name of every question. */
export interface Questions {
    readonly kind: "record";
    readonly document: JsonObject;
    readonly questions: readonly Question[];
    /** The number of records, which may be far more than can be listed. */
    readonly size: number;
    /** The inputs of all answers, every one of them checked; a refusal names the question. */
    answers(value: unknown): number[];
}
/** 1 to 100 characters, none of them a control character, without spaces at the ends. */
export declare const NAME: RegExp;
/** Read a document of a record: 2 to 30 questions, each over a domain of one value per person. */
export declare function readRecord(found: Section): Questions;

import { type PlainDomain } from "./domain.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";
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
export declare function readMayDecline(found: Section): MayDecline;

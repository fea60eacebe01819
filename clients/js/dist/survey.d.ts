import { type Mechanism } from "./mechanism.js";
import { type Outside } from "./admit.js";
import type { Certificate } from "./certificate.js";
import { type Repeating } from "./repeating.js";
import { type WindowKind } from "./windows.js";
import type { Words } from "./words.js";
/** What a program may say about the surveys that it takes. */
export interface ParseOptions {
    /** The most delta, as a decimal; "0" unless said otherwise, so that a promise that may fail is refused. */
    readonly maxDelta?: string;
}
/** What a program may say about signed surveys. */
export interface SignedOptions extends ParseOptions {
    /** The public key of the publisher, 64 hexadecimal digits; a survey that it did not sign is refused. */
    readonly publisher?: string;
}
/** What a program may say about fetching a survey; with `publisher` it is fetched with its signature. */
export interface FetchOptions extends SignedOptions {
    /** Whether to fetch from an `http://` address of another machine. */
    readonly plainHttp?: boolean;
    /** Seconds for the whole exchange, 10 unless said otherwise. */
    readonly timeout?: number;
}
/** A survey that was read, and whose weights keep its epsilon. */
export declare class Survey implements Repeating {
    readonly name: string;
    readonly question: string;
    readonly window: WindowKind;
    readonly minimumBatch: number;
    readonly outside: Outside;
    /** First and last day in UTC, or empty. */
    readonly opens: string;
    readonly closes: string;
    /** Surveys of one series share a budget on a device; empty where there is none. */
    readonly series: string;
    readonly ask: string;
    readonly cohorts: number;
    readonly changes: number;
    readonly period: number;
    readonly cost: string;
    readonly mechanism: Mechanism;
    /** What people read in place of the names of a record's questions, in order; empty where they read the name, or there is no text at all. */
    readonly texts: readonly string[];
    /** 64 hexadecimal digits that stand for the survey, weights included. */
    readonly digest: string;
    /** The first 32 of them. */
    readonly fingerprint: string;
    /** The public key whose signature was verified, or empty. */
    readonly publisher: string;
    /** Address of the collector that it came from, if it was fetched. */
    readonly collector: string | undefined;
    private readonly document;
    private constructor();
    /** Read a survey's JSON and check everything in it, its certificate included. Throws `InvalidSurvey`. */
    static parse(source: string | Uint8Array, options?: ParseOptions): Survey;
    /** Read a survey that its publisher signed, and verify the signature. Throws `NotTrusted` where it does not hold. */
    static parseSigned(source: string | Uint8Array, { publisher, ...options }?: SignedOptions): Promise<Survey>;
    /**
     * Fetch a survey from `https://collector.example/surveys/{fingerprint}` and check it as `parse` does. A survey whose
     * fingerprint is not the one in the address is refused, so that the address stands for what was agreed to. With
     * `publisher`, one that this key did not sign is refused too.
     */
    static fetch(url: string, options?: FetchOptions): Promise<Survey>;
    private static read;
    /** Epsilon of one report, as a decimal. */
    get epsilon(): string;
    /** What the weights promise. */
    get certificate(): Certificate;
    /** Its name, as messages have it. */
    toString(): string;
    /** What the privacy means, for the people asked: of one report, and of all together. */
    privacy(): string;
    /** What is charged for one report, or for all of them, in one line. */
    costInWords(): string;
    /** Bytes of every payload of this survey. */
    get payloadBytes(): number;
    /** The canonical JSON, of which the fingerprint is the hash. */
    toJson(): string;
    /** Refuse a value that is neither in the domain nor admitted by `outside`. Nothing is drawn. */
    check(value: unknown): void;
    /** The payload of one report, where devices remember of the first: the value, drawn with random words. Refuses a bad value before it draws. */
    randomize(value: unknown, source: Words): Uint8Array;
    /** The name of the window that a day is in, or undefined where the survey is not open on it. */
    windowOf(day: string): string | undefined;
}

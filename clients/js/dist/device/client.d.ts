import { Survey } from "../survey.js";
import { type Limits } from "./budget.js";
import { type Explanation } from "./explaining.js";
import { type Ledger, type Receipt } from "./ledger.js";
import { type Patience } from "./sending.js";
/** What a program may say about a client: limits, and the following. */
export interface ClientOptions extends Partial<Limits> {
    /** The fingerprint that the owner of the device agreed to; a survey with another one is refused. */
    readonly fingerprint?: string;
    /** The public key of the publisher; a survey without its verified signature is refused (`Survey.fetch`, `Survey.parseSigned`). */
    readonly publisher?: string;
    /** Address of the collector; where the survey came from unless said otherwise. Without one, reports are drawn and kept. */
    readonly url?: string;
    /** The token, for surveys that ask for one. */
    readonly token?: string;
    /** What a survey may protect in place of the whole answer: `["edge"]` takes part in surveys of degrees. */
    readonly scopes?: readonly string[];
    /** Whether to send to an `http://` address of another machine. */
    readonly plainHttp?: boolean;
    /** Attempts and timeouts of sending. */
    readonly patience?: Partial<Patience>;
    /** Where the device remembers; IndexedDB in browsers and `ledger.sqlite` in Node from 22.13 unless said otherwise. */
    readonly ledger?: Ledger;
    /** The day it is in UTC, such as 2026-01-31. */
    readonly clock?: () => string;
}
/**
 * A device that answers a survey. A report is drawn once for a survey and a window, what it costs is on the disk before
 * it leaves, and from then on only these bytes are sent. The limits are the device's; no survey sets one.
 */
export declare class Client {
    readonly survey: Survey;
    private readonly limits;
    private readonly collector;
    private readonly pinned;
    private readonly clock;
    private readonly ledger;
    constructor(survey: Survey, options?: ClientOptions);
    /**
     * Answer the survey in the present window, and send the report. The first answer in a window counts: whatever is
     * given later, the stored report is returned, and sent again if the collector has not acknowledged it. Where the
     * answer, the budget, the collector's word that it is closed or its log stands against it, nothing is drawn, spent or
     * sent. Where the collector does not answer, the report is drawn and kept, and leaves when the log was checked. Where
     * the window does not ask this device, nothing is drawn, spent or sent either, whatever the answer, and the state is `not-asked`.
     */
    report(value: unknown): Promise<Receipt>;
    /** Whether the present window asks this device; always so unless the survey has cohorts. */
    asked(): Promise<boolean>;
    /** The first day of the next window after the present one that asks this device; undefined where the survey closes before, or is asked once. */
    nextAsked(): Promise<string | undefined>;
    /** How many permanent answers this device keeps for the present window: where there is one, a report costs nothing more. */
    remembered(): Promise<number>;
    private asks;
    private cohort;
    /** Send what is pending of this survey, and ask again for what is to be deleted; all its receipts. */
    send(): Promise<Receipt[]>;
    /** All receipts of this survey, by window. */
    receipts(): Promise<Receipt[]>;
    /** The epsilon of all reports in the ledger, of whatever survey, exactly, as decimal text. */
    spent(): Promise<string>;
    /** What a report is, in words: what became of it, what it says, what it cost, and every byte of it. */
    explain(receipt: Receipt): Explanation;
    /** Say that the collector has a report, where a program sends by its own means. */
    acknowledge(receipt: Receipt): Promise<Receipt>;
    /**
     * Take a report back: it is not sent any more, and the collector is asked to delete it. What it cost stays spent, and
     * the window gets no second answer. Until the collector has confirmed it, `code` says why not, and `send` asks again.
     */
    withdraw(receipt: Receipt): Promise<Receipt>;
    private sent;
    private rows;
    private settled;
}
/** Where a device remembers unless it is said; `nodedefault.ts` puts a file in its place. */
export declare const DEFAULTS: {
    ledger: typeof browserLedger;
};
/** IndexedDB; refused where there is none, for nothing is forgotten silently. */
declare function browserLedger(): () => Promise<Ledger>;
export {};

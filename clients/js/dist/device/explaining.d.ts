import type { Survey } from "../survey.js";
import type { Receipt } from "./ledger.js";
/** Some bytes of an upload, as hexadecimal digits, and what they are. */
export interface Part {
    readonly name: string;
    readonly bytes: string;
    readonly words: string;
}
/** A report in words. */
export interface Explanation {
    /** What became of it, in one sentence. */
    readonly status: string;
    /** What it says, which is drawn at random. */
    readonly report: string;
    /** What it cost. */
    readonly cost: string;
    /** Every byte that is sent, in order. */
    readonly parts: readonly Part[];
}
/** A report of a survey in words. */
export declare function explain(survey: Survey, receipt: Receipt): Explanation;

import type { Survey } from "../survey.js";
import { type Words } from "../words.js";
/** A draw of a device that is made once: a cohort by question and number of cohorts, a hash by family, and the key of tags. */
export interface Kept {
    readonly kind: "cohort" | "hash" | "secret";
    readonly name: string;
    readonly value: number | Uint8Array;
}
/** A permanent answer, in the order in which they were needed. The answer is not in it: `tag` is empty, or a keyed hash of it. */
export interface Memo {
    readonly question: string;
    readonly memory: string;
    readonly period: number;
    readonly ordinal: number;
    readonly tag: Uint8Array;
    readonly memo: number | Uint8Array;
}
/** What a ledger keeps beside reports: draws that many reports depend on. */
export interface Memories {
    readonly kept: readonly Kept[];
    readonly memos: readonly Memo[];
}
/** What a change adds to it, and takes out. */
export interface MemoryChange extends Partial<Memories> {
    readonly forget?: readonly Memo[];
}
/** The permanent answers of this device to one question, under one mechanism, in one period. */
export interface DeviceMemory {
    /** Those that there are: what they cost was charged when the first was drawn. */
    stored(known: Memories): readonly Memo[];
    /**
     * A fresh report from the permanent answer to a value, which is drawn first where there is none. Where as many were
     * drawn as are charged, the last one speaks: the device neither stays silent nor reveals that the answer changed.
     */
    report(known: Memories, value: unknown, words: Words): MemoryChange & {
        readonly payload: Uint8Array;
    };
}
/** The cohort of this device for a question and a number of cohorts: a survey that is published again does not draw it anew. */
export declare function cohortOf(known: Memories | undefined, survey: Survey, words: Words): MemoryChange & {
    readonly result: number;
};
/** The memory that a report of a day comes from, or undefined where the survey needs none. */
export declare function memoryOf(survey: Survey, day: string): DeviceMemory | undefined;

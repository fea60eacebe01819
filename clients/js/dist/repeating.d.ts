import type { Mechanism } from "./mechanism.js";
import type { Section } from "./reading.js";
import { type WindowKind } from "./windows.js";
/** Who is asked when, and what a device remembers: the rules that a survey of version 3 has in addition. */
export interface Repeating {
    /** `1` asks everybody in every window; `1/W` asks each person in one window of W, which the device draws. */
    readonly ask: string;
    /** W. */
    readonly cohorts: number;
    /** How many further answers get a permanent one of their own. */
    readonly changes: number;
    /** After how many windows memory begins anew; 0 is never. */
    readonly period: number;
    /** What the first report is charged with, as a decimal: where devices remember, for all that follow from the same memory. */
    readonly cost: string;
}
/** What these rules are about. */
interface Asked {
    readonly mechanism: Mechanism;
    readonly window: WindowKind;
    readonly opens: string;
    readonly closes: string;
}
/** Keys of version 3 and 4. */
export declare const REPEATING: string[];
/** Read the rules of version 3 and 4, or take those of version 2, and refuse what does not fit the survey. */
export declare function readRepeating(found: Section, { mechanism, window, opens, closes }: Asked): Repeating;
export {};

import { OverBudget } from "../errors.js";
import type { Survey } from "../survey.js";
import { type Charge } from "./charge.js";
/** Limits of a device, in epsilon; no survey sets one. Each is a number of at least 0. */
export interface Limits {
    /** One report; where devices remember, all that the first one is charged for. */
    readonly maxEpsilon: number;
    /** All reports drawn on one day. */
    readonly dayEpsilon: number;
    /** All surveys of one name. */
    readonly nameEpsilon: number;
    /** One question over one domain. */
    readonly questionEpsilon: number;
    /** All surveys of one series, whoever published them. */
    readonly seriesEpsilon: number;
    /** All surveys that one key signed. */
    readonly publisherEpsilon: number;
    /** All reports in the ledger. */
    readonly totalEpsilon: number;
}
/** The limits where a program sets none: those of the client in Python. */
export declare const LIMITS: Limits;
/** Refuse limits that are none, and a survey of which one report costs too much, whatever was spent before. */
export declare function checkReport(limits: Limits, survey: Survey): void;
/**
 * Why a report is refused after those `before`, or undefined where it is allowed: the rules against forged surveys and
 * wrong clocks, then the limits. All limits hold at once: a series or a key puts surveys together, and takes none of them
 * out of another limit.
 */
export declare function refusalOf(limits: Limits, asked: Charge, before: readonly Charge[], pinned: boolean): OverBudget | undefined;

import { type Json } from "../json.js";
import type { Survey } from "../survey.js";
import type { Ledger } from "./ledger.js";
import { type Collector } from "./sending.js";
/** How many entries a log has, and the hash of the last. */
export interface LogHead {
    readonly size: number;
    readonly head: string;
}
/** The head of a log without entries. */
export declare const EMPTY: LogHead;
/**
 * Refuse a collector whose log does not continue the one that this device has seen, or does not have the survey: nobody
 * is asked what others cannot see. `NoAnswer` where the collector does not answer now.
 */
export declare function checkLog(collector: Collector, ledger: Ledger, survey: Survey): Promise<void>;
/** The hash of one entry, which must be the next after a head. */
export declare function hashOf(entry: Json | undefined, { size, head }: LogHead): string;

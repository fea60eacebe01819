import { type Json } from "../json.js";
import type { Survey } from "../survey.js";
import type { Ledger } from "./ledger.js";
import { type Collector } from "./sending.js";
/** How many entries a log has, and the hash of the last. */
export interface LogHead {
    readonly size: number;
    readonly head: string;
}
/** A head and the digest of the survey that the last entry is about. */
export interface Entry extends LogHead {
    readonly survey?: string;
}
/**
 * Refuse a collector whose log does not continue the one that this device has seen, or does not have the survey: nobody
 * is asked what others cannot see. `NoAnswer` where the collector does not answer now.
 */
export declare function checkLog(collector: Collector, ledger: Ledger, survey: Survey): Promise<void>;
/** One entry of a log, which must be the next after a head. */
export declare function follow({ size, head }: LogHead, entry: Json): Entry;

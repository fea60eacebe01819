import { type Answer, type Request } from "./http.js";
import type { State } from "./ledger.js";
/** How long to go on: attempts in all, seconds of waiting in all, seconds for one attempt. */
export interface Patience {
    readonly attempts: number;
    readonly waiting: number;
    readonly timeout: number;
    /** Waits for some seconds. */
    sleep(seconds: number): Promise<void>;
}
/** The patience where a program asks for no other. */
export declare const PATIENCE: Patience;
/** What came of an attempt: the state, a code why, and whether and when the same bytes may be taken. */
interface Outcome {
    readonly state: State;
    readonly code: string;
    readonly again?: boolean;
    readonly wait?: number;
}
/** Where a report goes. */
export interface Collector {
    readonly url: string;
    readonly token: string | undefined;
    readonly patience: Patience;
}
/**
 * Send an upload of one report until it is acknowledged or refused, patience ends, or `wanted` says that it is not to be
 * sent. Where `wanted` throws `NoAnswer` it is asked again later.
 */
export declare function deliver(collector: Collector, upload: Uint8Array, wanted: () => Promise<boolean>): Promise<Outcome>;
/** Have a report deleted: withdrawn with an empty code once the collector has it no more, or still acknowledged where it cannot. */
export declare function remove(collector: Collector, fingerprint: string, id: string): Promise<Outcome>;
/** What a collector says of a survey, or an empty object where it says nothing. */
export declare function about(collector: Collector, fingerprint: string): Promise<Record<string, unknown>>;
/** One request to a collector, or `NoAnswer`. */
export declare function ask({ url, patience }: Collector, path: string, request?: Partial<Request>): Promise<Answer>;
export {};

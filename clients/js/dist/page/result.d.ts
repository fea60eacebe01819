import { type Client, type Receipt } from "@sottovoce/client";
import { type Content } from "./dom.js";
/** What a person can do about a report that was drawn. */
export interface Steps {
    /** Send once more, or ask once more that it is deleted. */
    retry(): Promise<void>;
    withdraw(): Promise<void>;
}
/** What became of a report: first what can be done about it, and closed until it is opened, what it says. */
export declare function resultOf(client: Client, receipt: Receipt, steps: Steps): Promise<Content[]>;
/** All that this browser sent to this site, of whatever survey, the newest first; nothing where it sent nothing. */
export declare function historyOf(): Promise<Content[]>;
/** Whether something is still to be done with the collector. */
export declare function isOpen({ state, code }: Receipt): boolean;

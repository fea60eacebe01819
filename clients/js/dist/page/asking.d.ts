import { SottovoceError, Survey, type ClientOptions, type Receipt } from "@sottovoce/client";
/** What happened, for programs: a report was drawn or changed its state, was withdrawn, or was refused before it was drawn. */
export type News = "report" | "withdraw" | "refusal";
/** How to ask. */
export interface Asking {
    /** Address of the survey: of a collector, `/surveys/` and a fingerprint. */
    readonly url: string;
    /** Whether an unencrypted address of another machine is allowed. */
    readonly plainHttp: boolean;
    /** Limits and token of the client. */
    readonly options: ClientOptions;
    /** The key whose signature the survey must have. */
    readonly pinned?: {
        readonly publisher: string;
    };
    /** The code of a refusal that is known beforehand: then there is no form. */
    readonly refused?: string;
    /** Called once with the survey, after it was checked. */
    show?(survey: Survey): void;
    tell?(news: News, detail: Receipt | SottovoceError): void;
}
/**
 * Ask one survey at a place: a form, and once it is answered in this window, what became of the report. The status is
 * one element from the beginning, so that a screen reader says what changes.
 */
export declare class Interview {
    private readonly asking;
    private readonly heading;
    private readonly status;
    private readonly body;
    private client;
    constructor(place: Element, level: "h2" | "h3", asking: Asking);
    /** Check the survey, then show the stored report of this window, or the form. Draws no report. */
    begin(): Promise<void>;
    /** The receipt of the present window. */
    private current;
    private showForm;
    private showResult;
    /** When the network is back: send what is pending, if anything is. */
    resend(): Promise<void>;
    /** Send what is pending, and show what became of it. */
    private send;
    /** Show what a person's own step came to, and lead them there. */
    private finish;
    /** Do something, or say in one sentence why not. */
    private guarded;
}

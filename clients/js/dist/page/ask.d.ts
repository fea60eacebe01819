import { SottovoceError, type Receipt } from "@sottovoce/client";
/** What an event says of a report. The answer is not in it, nor are the bytes. */
export type ReportDetail = Pick<Receipt, "fingerprint" | "window" | "epsilon" | "state" | "code">;
/** What an event says of a refusal: nothing was drawn or sent. */
export type RefusalDetail = Pick<SottovoceError, "code" | "message">;
/**
 * `<sottovoce-ask src="https://collector.example/surveys/...">` asks a survey on a page of one's own. Limits of the
 * device are attributes, such as `max-epsilon` and `total-epsilon`; `publisher` is the key that must have signed the
 * survey. A token is the property `token`, set before the element is on the page. Events: `sottovoce-report`,
 * `sottovoce-withdraw` (`ReportDetail`) and `sottovoce-refusal` (`RefusalDetail`).
 */
export declare class SottovoceAsk extends HTMLElement {
    /** For surveys that are only for people with a token. */
    token: string | undefined;
    private interview;
    private readonly resend;
    connectedCallback(): void;
    disconnectedCallback(): void;
    private options;
    private tell;
}
declare global {
    interface HTMLElementTagNameMap {
        "sottovoce-ask": SottovoceAsk;
    }
}

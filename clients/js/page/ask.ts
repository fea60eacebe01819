import { SottovoceError, type ClientOptions, type Receipt, type Survey } from "@sottovoce/client";
import { Interview, type News } from "./asking.js";
import { foreign, make } from "./dom.js";
import { STYLE } from "./style.js";
import { privacyLines } from "./texts.js";

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
export class SottovoceAsk extends HTMLElement {
  /** For surveys that are only for people with a token. */
  token: string | undefined;
  private interview: Interview | undefined;
  private readonly resend = (): void => void this.interview?.resend();

  connectedCallback(): void {
    addEventListener("online", this.resend);
    if (this.shadowRoot !== null) return;
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const publisher = this.getAttribute("publisher");
    const [about, place] = [make("div"), make("div")];
    root.append(about, place);
    this.interview = new Interview(place, "h3", {
      url: this.getAttribute("src") ?? "",
      plainHttp: false,
      options: this.options(),
      ...(publisher === null ? {} : { pinned: { publisher } }),
      show: (survey) => about.replaceChildren(make("h2", {}, foreign(survey.question)), ...privacy(survey)),
      tell: (news, detail) => this.tell(news, detail),
    });
    void this.interview.begin();
  }

  disconnectedCallback(): void {
    removeEventListener("online", this.resend);
  }

  private options(): ClientOptions {
    const options: Record<string, unknown> = this.token === undefined ? {} : { token: this.token };
    for (const { name, value } of this.attributes) {
      if (name.endsWith("-epsilon")) options[name.replace("-e", "E")] = Number(value || NaN);
    }
    return options;
  }

  private tell(news: News, told: Receipt | SottovoceError): void {
    let detail: ReportDetail | RefusalDetail;
    if (told instanceof SottovoceError) {
      detail = { code: told.code, message: told.message };
    } else {
      const { fingerprint, window, epsilon, state, code } = told;
      detail = { fingerprint, window, epsilon, state, code };
    }
    this.dispatchEvent(new CustomEvent(`sottovoce-${news}`, { detail, bubbles: true, composed: true }));
  }
}

function privacy(survey: Survey): HTMLElement[] {
  return privacyLines(survey).map((line) => make("p", {}, line));
}

declare global {
  interface HTMLElementTagNameMap {
    "sottovoce-ask": SottovoceAsk;
  }
}

customElements.define("sottovoce-ask", SottovoceAsk);

import { Client, SottovoceError, Survey, type ClientOptions, type Receipt } from "@sottovoce/client";
import { controlOf } from "./controls.js";
import { foreign, make } from "./dom.js";
import { historyOf, isOpen, resultOf } from "./result.js";
import { refusal, TEXTS } from "./texts.js";

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
  readonly pinned?: { readonly publisher: string };
  /** The code of a refusal that is known beforehand: then there is no form. */
  readonly refused?: string;
  /** Called once with the survey, after it was checked. */
  show?(survey: Survey): void;
  tell?(news: News, detail: Receipt | SottovoceError): void;
}

/** Fewer attempts than a program makes: a person waits, and can try again. */
const PATIENCE = { attempts: 3, waiting: 8 };

/**
 * Ask one survey at a place: a form, and once it is answered in this window, what became of the report. The status is
 * one element from the beginning, so that a screen reader says what changes.
 */
export class Interview {
  private readonly heading: HTMLElement;
  private readonly status = make("p", { role: "status" });
  private readonly body = make("div");
  private client: Client | undefined;

  constructor(place: Element, level: "h2" | "h3", private readonly asking: Asking) {
    this.heading = make(level, { tabindex: "-1", hidden: true });
    place.replaceChildren(this.heading, this.status, this.body);
  }

  /** Check the survey, then show the stored report of this window, or the form. Draws no report. */
  async begin(): Promise<void> {
    this.status.textContent = TEXTS.checking;
    await this.guarded(async () => {
      const { url, plainHttp, options, pinned } = this.asking;
      const survey = await Survey.fetch(url, { plainHttp, ...pinned });
      this.asking.show?.(survey);
      const { scope } = survey.certificate;
      this.client = new Client(survey, { plainHttp, patience: PATIENCE, scopes: scope === "" ? [] : [scope], ...options, ...pinned });
      const receipts = await this.client.receipts();
      const receipt = this.current(receipts);
      if (receipt === undefined) await this.showForm();
      else await this.showResult(receipt);
      if (receipts.some(isOpen)) await this.send();
    });
    if (this.body.childElementCount === 0) this.body.replaceChildren(...(await historyOf().catch(() => [])));
  }

  /** The receipt of the present window. */
  private current(receipts: readonly Receipt[]): Receipt | undefined {
    const window = this.client!.survey.windowOf(today());
    return receipts.find((receipt) => receipt.window === window);
  }

  private async showForm(): Promise<void> {
    const client = this.client!;
    const { survey } = client;
    const { scope, protects } = survey.certificate;
    const control = controlOf(survey);
    const refused = this.asking.refused ?? closedOn(survey, today());
    this.status.textContent = refused !== undefined ? refusal(refused, false) : control === undefined ? TEXTS.cannot : "";
    if (refused !== undefined || control === undefined) return;
    if (!(await client.asked())) {
      this.status.textContent = `${TEXTS.notAsked} ${TEXTS.next(survey, await client.nextAsked())}`;
      return;
    }
    const kept = survey.mechanism.memory === undefined ? undefined : (await client.remembered()) > 0 ? TEXTS.kept(survey.changes) : TEXTS.paying(survey.costInWords());
    const submit = make("button", {}, TEXTS.submit);
    const form = make(
      "form", { novalidate: true }, ...(kept === undefined ? [] : [make("p", {}, kept)]),
      ...(scope === "" ? [control.element] : protects === undefined ? [control.element, consent(TEXTS.scope(scope))] : asked(TEXTS.only(protects.named), control.element)),
      make("p", { class: "submit" }, submit, make("small", {}, TEXTS.first[survey.window])), this.status,
      make("p", { class: "muted" }, make("small", {}, TEXTS.remembers)),
    );
    form.oninput = () => this.status.replaceChildren();
    form.onsubmit = async (event) => {
      event.preventDefault();
      const wrong = control.check?.();
      this.status.textContent = wrong ?? "";
      if (wrong !== undefined || submit.disabled || !form.reportValidity()) return;
      submit.disabled = true;
      this.status.textContent = TEXTS.working;
      await this.guarded(async () => this.finish("report", await client.report(control.read())));
      submit.disabled = false;
    };
    this.body.replaceChildren(form);
    void historyOf().then((history) => form.after(...history));
  }

  private async showResult(receipt: Receipt): Promise<void> {
    const client = this.client!;
    const result = await resultOf(client, receipt, {
      retry: () => this.guarded(async () => {
        await this.send();
        this.heading.focus();
      }),
      withdraw: () => this.guarded(async () => this.finish("withdraw", await client.withdraw(receipt))),
    });
    const history = await historyOf();
    this.heading.after(this.status);
    this.body.replaceChildren(...result, ...history);
    this.heading.textContent = TEXTS.states[receipt.state];
    this.heading.hidden = false;
    this.status.textContent = client.explain(receipt).status;
  }

  /** When the network is back: send what is pending, if anything is. */
  async resend(): Promise<void> {
    await this.guarded(async () => {
      if ((await this.client?.receipts())?.some(isOpen)) await this.send();
    });
  }

  /** Send what is pending, and show what became of it. */
  private async send(): Promise<void> {
    const receipt = this.current(await this.client!.send());
    if (receipt === undefined) return;
    await this.showResult(receipt);
    this.asking.tell?.("report", receipt);
  }

  /** Show what a person's own step came to, and lead them there. */
  private async finish(news: News, receipt: Receipt): Promise<void> {
    if (receipt.state === "not-asked") { // the window has changed since the form was shown
      this.body.replaceChildren();
      this.heading.after(this.status);
      return this.showForm();
    }
    await this.showResult(receipt);
    this.heading.focus();
    this.asking.tell?.(news, receipt);
  }

  /** Do something, or say in one sentence why not. */
  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof SottovoceError)) {
        this.status.textContent = TEXTS.failed;
        throw error;
      }
      const receipt = this.client && this.current(await this.client.receipts().catch(() => []));
      if (receipt !== undefined) await this.showResult(receipt);
      this.status.replaceChildren(refusal(error.code, !this.heading.hidden), " ", make("small", {}, foreign(`(${error.message})`)));
      this.asking.tell?.("refusal", error);
    }
  }
}

/** The code of a refusal where a survey is not open on a day. */
function closedOn(survey: Survey, day: string): string | undefined {
  if (survey.windowOf(day) !== undefined) return undefined;
  return day < survey.opens ? "clock-skew" : "window-closed";
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Surveys that protect less than the whole answer are answered by those who have read it. */
function consent(says: string): HTMLElement {
  return make("label", { class: "consent" }, make("input", { type: "checkbox", required: true }), foreign(says));
}

/** Where some answers are not protected at all, people read it first: there are no answers to choose before. */
function asked(says: string, control: HTMLElement): HTMLElement[] {
  const first = consent(says);
  const rest = make("fieldset", { class: "gated", disabled: true }, control);
  first.onchange = () => {
    rest.disabled = !first.querySelector("input")!.checked;
  };
  return [first, rest];
}

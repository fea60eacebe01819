import { toHex } from "../bytes.js";
import { InvalidArgument, InvalidSurvey, Mismatch, NoAnswer, NoLedger, Refused } from "../errors.js";
import { checkPublisher } from "../signing.js";
import { Survey } from "../survey.js";
import { encodeUpload } from "../upload.js";
import { firstDay, windowIndex } from "../windows.js";
import { newId, systemWords } from "../words.js";
import { BrowserLedger } from "./browserledger.js";
import { checkReport, LIMITS, type Limits } from "./budget.js";
import { chargeOf, costText } from "./charge.js";
import { explain, type Explanation } from "./explaining.js";
import { checkUrl } from "./http.js";
import { find, receiptOf, settle, spend, type Ledger, type Receipt, type Row, type State } from "./ledger.js";
import { checkLog } from "./logcheck.js";
import { cohortOf, memoryOf } from "./memory.js";
import { about, deliver, PATIENCE, remove, type Collector, type Patience } from "./sending.js";

/** What a program may say about a client: limits, and the following. */
export interface ClientOptions extends Partial<Limits> {
  /** The fingerprint that the owner of the device agreed to; a survey with another one is refused. */
  readonly fingerprint?: string;
  /** The public key of the publisher; a survey without its verified signature is refused (`Survey.fetch`, `Survey.parseSigned`). */
  readonly publisher?: string;
  /** Address of the collector; where the survey came from unless said otherwise. Without one, reports are drawn and kept. */
  readonly url?: string;
  /** The token, for surveys that ask for one. */
  readonly token?: string;
  /** What a survey may protect in place of the whole answer: `["edge"]` takes part in surveys of degrees. */
  readonly scopes?: readonly string[];
  /** Whether to send to an `http://` address of another machine. */
  readonly plainHttp?: boolean;
  /** Attempts and timeouts of sending. */
  readonly patience?: Partial<Patience>;
  /** Where the device remembers; IndexedDB in browsers and `ledger.sqlite` in Node from 22.13 unless said otherwise. */
  readonly ledger?: Ledger;
  /** The day it is in UTC, such as 2026-01-31. */
  readonly clock?: () => string;
}

const OPTIONS = [...Object.keys(LIMITS), "fingerprint", "publisher", "url", "token", "scopes", "plainHttp", "patience", "ledger", "clock"];

/**
 * A device that answers a survey. A report is drawn once for a survey and a window, what it costs is on the disk before
 * it leaves, and from then on only these bytes are sent. The limits are the device's; no survey sets one.
 */
export class Client {
  private readonly limits: Limits;
  private readonly collector: Collector | undefined;
  private readonly pinned: boolean;
  private readonly clock: () => string;
  private readonly ledger: () => Promise<Ledger>;

  constructor(readonly survey: Survey, options: ClientOptions = {}) {
    if (!(survey instanceof Survey)) throw new InvalidArgument("survey must be a Survey");
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) throw new InvalidArgument(`there is no option ${unknown}; there are ${OPTIONS.join(", ")}`);
    const { fingerprint, publisher, url = survey.collector, token, scopes = [], plainHttp = false, clock = today } = options;
    if (fingerprint !== undefined && fingerprint !== survey.fingerprint) {
      throw new Mismatch(`${survey} does not have the fingerprint ${fingerprint}, which was agreed to`);
    }
    if (publisher !== undefined) checkPublisher(survey, publisher);
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new InvalidArgument("token must be visible ASCII characters without spaces");
    this.pinned = fingerprint !== undefined;
    this.clock = clock;
    // A survey that was fetched came from an address that was allowed then.
    const plain = plainHttp || url === survey.collector;
    this.collector = url === undefined ? undefined : { url: checkUrl(url, plain), token, patience: { ...PATIENCE, ...options.patience } };
    // A limit that is wrong is refused, not replaced by the default; one that options inherit holds too.
    const names = Object.keys(LIMITS) as (keyof Limits)[];
    this.limits = Object.fromEntries(names.map((name) => [name, options[name] === undefined ? LIMITS[name] : options[name]])) as unknown as Limits;
    const { scope, protects } = survey.certificate;
    if (scope !== "" && !scopes.includes(scope)) {
      const what = protects === undefined ? `one ${scope}, not the whole answer` : `${protects.count} only, and open reports reveal theirs`;
      throw new InvalidSurvey(`${survey} protects ${what}; scopes: ["${scope}"] takes part all the same`);
    }
    checkReport(this.limits, survey);
    systemWords(); // refused where there is no randomness
    this.ledger = options.ledger === undefined ? DEFAULTS.ledger() : async () => options.ledger!;
  }

  /**
   * Answer the survey in the present window, and send the report. The first answer in a window counts: whatever is
   * given later, the stored report is returned, and sent again if the collector has not acknowledged it. Where the
   * answer, the budget, the collector's word that it is closed or its log stands against it, nothing is drawn, spent or
   * sent. Where the collector does not answer, the report is drawn and kept, and leaves when the log was checked. Where
   * the window does not ask this device, nothing is drawn, spent or sent either, whatever the answer, and the state is `not-asked`.
   */
  async report(value: unknown): Promise<Receipt> {
    const { survey } = this;
    const { fingerprint, opens } = survey;
    const day = this.clock();
    const window = survey.windowOf(day);
    if (window === undefined) throw day < opens ? refused(survey, "clock-skew", `opens on ${opens}`) : refused(survey, "window-closed", "is closed");
    if (!(await this.asks(day))) {
      survey.check(value); // refused as in a window that asks
      return { fingerprint, window, survey: survey.name, epsilon: "0", delta: "0", id: new Uint8Array(), upload: new Uint8Array(), state: "not-asked", code: "" };
    }
    const stored = find(await this.rows(), { fingerprint, window });
    if (stored !== undefined) return this.sent(stored);
    survey.check(value); // first: a collector that is asked, and then gets nothing, would learn that the answer is outside
    const ledger = await this.ledger();
    const checked = this.collector !== undefined && (await isReady(this.collector, ledger, survey));
    const charge = chargeOf(survey, day, ledger.elapsed());
    const memory = memoryOf(survey, day);
    const drawn = await spend(ledger, charge, this.limits, this.pinned, memory, (known) => {
      const words = systemWords();
      const { payload, ...kept } = memory?.report(known, value, words) ?? { payload: survey.randomize(value, words) };
      const id = newId();
      return { ...kept, id, upload: encodeUpload({ fingerprint, window, reports: [{ id, payload }] }) };
    });
    return this.sent(drawn, checked);
  }

  /** Whether the present window asks this device; always so unless the survey has cohorts. */
  async asked(): Promise<boolean> {
    return this.asks(this.clock());
  }

  /** The first day of the next window after the present one that asks this device; undefined where the survey closes before, or is asked once. */
  async nextAsked(): Promise<string | undefined> {
    const { window, opens, closes, cohorts } = this.survey;
    if (window === "once") return undefined;
    const present = windowIndex(window, this.clock());
    const index = Math.max(present + 1, opens === "" ? present : windowIndex(window, opens)); // a window after the present one
    const first = firstDay(window, index + mod((await this.cohort()) - index, cohorts));
    const day = first > opens ? first : opens;
    return first === "" || (closes !== "" && day > closes) ? undefined : day;
  }

  /** How many permanent answers this device keeps for the present window: where there is one, a report costs nothing more. */
  async remembered(): Promise<number> {
    const memory = memoryOf(this.survey, this.clock());
    return (await this.ledger()).transact((_rows, _logs, known) => ({ result: memory?.stored(known).length ?? 0 }));
  }

  private async asks(day: string): Promise<boolean> {
    const { window, cohorts } = this.survey;
    return mod(windowIndex(window, day) - (await this.cohort()), cohorts) === 0;
  }

  private async cohort(): Promise<number> {
    if (this.survey.cohorts === 1) return 0;
    return (await this.ledger()).transact((_rows, _logs, known) => cohortOf(known, this.survey, systemWords()));
  }

  /** Send what is pending of this survey, and ask again for what is to be deleted; all its receipts. */
  async send(): Promise<Receipt[]> {
    const receipts: Receipt[] = [];
    for (const receipt of await this.receipts()) receipts.push(await this.sent(receipt));
    return receipts;
  }

  /** All receipts of this survey, by window. */
  async receipts(): Promise<Receipt[]> {
    const rows = (await this.rows()).filter((row) => row.fingerprint === this.survey.fingerprint);
    return rows.map(receiptOf).sort((a, b) => (a.window < b.window ? -1 : 1));
  }

  /** The epsilon of all reports in the ledger, of whatever survey, exactly, as decimal text. */
  async spent(): Promise<string> {
    return costText(await this.rows());
  }

  /** What a report is, in words: what became of it, what it says, what it cost, and every byte of it. */
  explain(receipt: Receipt): Explanation {
    return explain(this.survey, receipt);
  }

  /** Say that the collector has a report, where a program sends by its own means. */
  async acknowledge(receipt: Receipt): Promise<Receipt> {
    return this.settled(receipt, ["pending", "refused"], { state: "acknowledged", code: "" });
  }

  /**
   * Take a report back: it is not sent any more, and the collector is asked to delete it. What it cost stays spent, and
   * the window gets no second answer. Until the collector has confirmed it, `code` says why not, and `send` asks again.
   */
  async withdraw(receipt: Receipt): Promise<Receipt> {
    return this.sent(await this.settled(receipt, ["pending", "acknowledged", "refused"], { state: "withdrawn", code: "not-confirmed" }));
  }

  // Brings one report to where it belongs; it leaves this device when the collector's log was checked.
  private async sent(receipt: Receipt, checked = false): Promise<Receipt> {
    const { collector, survey } = this;
    if (collector === undefined) return receiptOf(receipt);
    if (receipt.state === "withdrawn" && receipt.code !== "") {
      return this.settled(receipt, ["withdrawn"], await remove(collector, receipt.fingerprint, toHex(receipt.id)));
    }
    if (receipt.state !== "pending") return receiptOf(receipt);
    const outcome = await deliver(collector, receipt.upload, async () => {
      if (!checked) await checkLog(collector, await this.ledger(), survey);
      checked = true;
      return find(await this.rows(), receipt)?.state === "pending";
    });
    const settled = await this.settled(receipt, ["pending", "refused"], outcome);
    return settled.state === "withdrawn" ? this.sent({ ...settled, code: "not-confirmed" }) : settled; // meanwhile, elsewhere
  }

  private async rows(): Promise<readonly Row[]> {
    return (await this.ledger()).transact((rows) => ({ result: rows }));
  }

  private async settled(receipt: Receipt, from: readonly State[], { state, code }: Pick<Receipt, "state" | "code">): Promise<Receipt> {
    const row = await settle(await this.ledger(), receipt, from, state, code);
    if (row === undefined) throw new NoLedger("this receipt is not in the ledger");
    return receiptOf(row);
  }
}

function refused(survey: Survey, code: string, why: string): Refused {
  return new Refused(code, `${survey} ${why}`);
}

/**
 * Nobody pays for a report that would be in vain: refused where the collector does not take it, or its log is not in
 * order. False where the collector does not answer: the report is drawn and kept.
 */
async function isReady(collector: Collector, ledger: Ledger, survey: Survey): Promise<boolean> {
  try {
    const { code, closed, upload } = await about(collector, survey.fingerprint);
    if (code === "unknown-survey") throw refused(survey, code, "is not published by the collector");
    if (closed === true) throw refused(survey, "survey-closed", "is closed");
    if (upload === "tokens" && collector.token === undefined) throw refused(survey, "not-allowed", "is only for people with a token");
    await checkLog(collector, ledger, survey);
    return true;
  } catch (error) {
    if (error instanceof NoAnswer) return false;
    throw error;
  }
}

/** Where a device remembers unless it is said; `nodedefault.ts` puts a file in its place. */
export const DEFAULTS = { ledger: browserLedger };

/** IndexedDB; refused where there is none, for nothing is forgotten silently. */
function browserLedger(): () => Promise<Ledger> {
  if (typeof indexedDB === "undefined") {
    throw new NoLedger("nothing here remembers what was spent: pass a ledger, or use Node 22.13 or newer");
  }
  const ledger = new BrowserLedger();
  return async () => ledger;
}

/** The remainder from 0 to `size` - 1, of negative numbers too. */
function mod(number: number, size: number): number {
  return ((number % size) + size) % size;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

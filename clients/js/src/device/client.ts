import { toHex } from "../bytes.js";
import { InvalidArgument, InvalidSurvey, Mismatch, NoLedger, Refused } from "../errors.js";
import { Survey } from "../survey.js";
import { writeUpload } from "../upload.js";
import { newId, systemWords } from "../words.js";
import { BrowserLedger } from "./browserledger.js";
import { Budget, LIMITS, type Limits } from "./budget.js";
import { builtin } from "./builtins.js";
import { chargeOf, costText } from "./charge.js";
import { explain, type Explanation } from "./explaining.js";
import { checkUrl } from "./http.js";
import { find, receiptOf, settle, spend, type Ledger, type Receipt, type Row } from "./ledger.js";
import { about, deliver, PATIENCE, remove, type Collector, type Patience } from "./sending.js";

/** What a program may say about a client: limits, and the following. */
export interface ClientOptions extends Partial<Limits> {
  /** The fingerprint that the owner of the device agreed to; a survey with another one is refused. */
  readonly fingerprint?: string;
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

const OPTIONS = [...Object.keys(LIMITS), "fingerprint", "url", "token", "scopes", "plainHttp", "patience", "ledger", "clock"];

/**
 * A device that answers a survey. A report is drawn once for a survey and a window, what it costs is on the disk before
 * it leaves, and from then on only these bytes are sent. The limits are the device's; no survey sets one.
 */
export class Client {
  private readonly budget: Budget;
  private readonly collector: Collector | undefined;
  private readonly pinned: boolean;
  private readonly clock: () => string;
  private readonly ledger: () => Promise<Ledger>;

  constructor(readonly survey: Survey, options: ClientOptions = {}) {
    if (!(survey instanceof Survey)) throw new InvalidArgument("survey must be a Survey");
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) throw new InvalidArgument(`there is no option ${unknown}; there are ${OPTIONS.join(", ")}`);
    const { fingerprint, url = survey.collector, token, plainHttp = false, clock = today } = options;
    if (fingerprint !== undefined && fingerprint !== survey.fingerprint) {
      throw new Mismatch(`survey "${survey.name}" does not have the fingerprint ${fingerprint}, which was agreed to`);
    }
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new InvalidArgument("token must be visible ASCII characters without spaces");
    this.pinned = fingerprint !== undefined;
    this.clock = clock;
    // A survey that was fetched came from an address that was allowed then.
    const plain = plainHttp || url === survey.collector;
    this.collector = url === undefined ? undefined : { url: checkUrl(url, plain), token, patience: { ...PATIENCE, ...options.patience } };
    this.budget = new Budget(limitsOf(options));
    checkScope(survey, options.scopes ?? []);
    this.budget.checkReport(survey);
    systemWords(); // refused where there is no randomness
    this.ledger = options.ledger === undefined ? defaultLedger() : async () => options.ledger!;
  }

  /**
   * Answer the survey in the present window, and send the report. The first answer in a window counts: whatever is
   * given later, the stored report is returned, and sent again if the collector has not acknowledged it. Where the
   * answer, the budget or the collector's word that it is closed stands against it, nothing is drawn, spent or sent.
   */
  async report(value: unknown): Promise<Receipt> {
    const day = this.clock();
    const window = this.windowOf(day);
    const stored = await this.find({ fingerprint: this.survey.fingerprint, window });
    if (stored !== undefined) return this.sent(stored);
    this.survey.check(value); // first: a collector that is asked, and then gets nothing, would learn that the answer is outside
    await this.checkOpen();
    const ledger = await this.ledger();
    const charge = chargeOf(this.survey, window, day, ledger.elapsed());
    return this.sent(await spend(ledger, charge, this.budget, this.pinned, () => this.draw(value, window)));
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
    return this.settled(receipt, ["pending", "refused"], "acknowledged", "");
  }

  /**
   * Take a report back: it is not sent any more, and the collector is asked to delete it. What it cost stays spent, and
   * the window gets no second answer. Until the collector has confirmed it, `code` says why not, and `send` asks again.
   */
  async withdraw(receipt: Receipt): Promise<Receipt> {
    return this.sent(await this.settled(receipt, ["pending", "acknowledged", "refused"], "withdrawn", "not-confirmed"));
  }

  /** Bring one report to where it belongs. */
  private async sent(receipt: Receipt): Promise<Receipt> {
    const { collector } = this;
    if (receipt.state === "withdrawn" && receipt.code !== "" && collector !== undefined) {
      const { state, code } = await remove(collector, receipt.fingerprint, toHex(receipt.id));
      return this.settled(receipt, ["withdrawn"], state, code);
    }
    if (receipt.state !== "pending" || collector === undefined) return receiptOf(receipt);
    const { state, code } = await deliver(collector, receipt.upload, async () => (await this.find(receipt))?.state === "pending");
    const settled = await this.settled(receipt, ["pending", "refused"], state, code);
    return settled.state === "withdrawn" ? this.sent({ ...settled, code: "not-confirmed" }) : settled; // meanwhile, elsewhere
  }

  private async rows(): Promise<readonly Row[]> {
    return (await this.ledger()).transact((rows) => ({ write: [], result: rows }));
  }

  private async find(key: Pick<Receipt, "fingerprint" | "window">): Promise<Row | undefined> {
    return find(await this.rows(), key);
  }

  private async settled(receipt: Receipt, ...change: SettleArguments): Promise<Receipt> {
    const row = await settle(await this.ledger(), receipt, ...change);
    if (row === undefined) throw new NoLedger("this receipt is not in the ledger");
    return receiptOf(row);
  }

  private draw(value: unknown, window: string): { id: Uint8Array; upload: Uint8Array } {
    const payload = this.survey.randomize(value, systemWords());
    const id = newId();
    return { id, upload: writeUpload({ fingerprint: this.survey.fingerprint, window, reports: [{ id, payload }] }) };
  }

  private windowOf(day: string): string {
    const { opens, name } = this.survey;
    const window = this.survey.windowOf(day);
    if (window !== undefined) return window;
    throw day < opens ? new Refused("clock-skew", `survey "${name}" opens on ${opens}`) : closed("window-closed", name);
  }

  /** Nobody pays for a report that will be refused. Where the collector says nothing, the report is drawn and kept. */
  private async checkOpen(): Promise<void> {
    if (this.collector === undefined) return;
    const { name, fingerprint } = this.survey;
    const said = await about(this.collector, fingerprint);
    if (said.closed === true) throw closed("survey-closed", name);
    if (said.upload === "tokens" && this.collector.token === undefined) throw new Refused("not-allowed", `survey "${name}" is only for people with a token`);
  }
}

type SettleArguments = Parameters<typeof settle> extends [unknown, unknown, ...infer Rest] ? Rest : never;

function closed(code: string, name: string): Refused {
  return new Refused(code, `survey "${name}" is closed`);
}

/** The limits that are set, and the others by default; a wrong one is refused later, not replaced. */
function limitsOf(options: ClientOptions): Limits {
  const names = Object.keys(LIMITS) as (keyof Limits)[]; // of LIMITS, so that a limit that options inherit holds too
  return Object.fromEntries(names.map((name) => [name, options[name] === undefined ? LIMITS[name] : options[name]])) as unknown as Limits;
}

function checkScope(survey: Survey, scopes: readonly string[]): void {
  const { scope } = survey.certificate;
  if (scope === "" || scopes.includes(scope)) return;
  throw new InvalidSurvey(`survey "${survey.name}" protects one ${scope}, not the whole answer; scopes: ["${scope}"] takes part all the same`);
}

/** IndexedDB, or the file of this device; refused where there is neither, for nothing is forgotten silently. */
function defaultLedger(): () => Promise<Ledger> {
  let opened: Promise<Ledger> | undefined;
  if (builtin("node:sqlite") !== undefined) {
    return () => (opened ??= import("./nodeledger.js").then(({ NodeLedger }) => new NodeLedger()));
  }
  if (typeof indexedDB === "undefined") {
    throw new NoLedger("nothing here remembers what was spent: pass a ledger, or use Node 22.13 or newer");
  }
  const ledger = new BrowserLedger();
  return async () => ledger;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

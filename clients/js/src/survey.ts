// Mechanisms first, and all that is of the device after them: the bundle keeps this order.
import { readMechanism, type Mechanism } from "./mechanism.js";
import { admit, type Outside } from "./admit.js";
import { canonical, digestOf } from "./canonical.js";
import type { Certificate } from "./certificate.js";
import { exact, readDecimal } from "./decimal.js";
import { checkUrl, exchange } from "./device/http.js";
import { InvalidArgument, InvalidSurvey, Mismatch, NoAnswer } from "./errors.js";
import { payloadBytes, writePayload } from "./fields.js";
import { checkValue, isNumeric } from "./domain.js";
import { exceeds } from "./fraction.js";
import { MOST_BYTES, readJson, type Json, type JsonObject } from "./json.js";
import { costInWords, privacyOf } from "./privacy.js";
import { Section } from "./reading.js";
import { readRepeating, REPEATING, type Repeating } from "./repeating.js";
import { checkPublisher, checkSignature } from "./signing.js";
import { isDay, windowOf, type WindowKind } from "./windows.js";
import type { Words } from "./words.js";

const KEYS = ["closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series", "survey", "window"];

/** What a program may say about the surveys that it takes. */
export interface ParseOptions {
  /** The most delta, as a decimal; "0" unless said otherwise, so that a promise that may fail is refused. */
  readonly maxDelta?: string;
}

/** What a program may say about signed surveys. */
export interface SignedOptions extends ParseOptions {
  /** The public key of the publisher, 64 hexadecimal digits; a survey that it did not sign is refused. */
  readonly publisher?: string;
}

/** What a program may say about fetching a survey; with `publisher` it is fetched with its signature. */
export interface FetchOptions extends SignedOptions {
  /** Whether to fetch from an `http://` address of another machine. */
  readonly plainHttp?: boolean;
  /** Seconds for the whole exchange, 10 unless said otherwise. */
  readonly timeout?: number;
}

/** A survey that was read, and whose weights keep its epsilon. */
export class Survey implements Repeating {
  readonly name: string;
  readonly question: string;
  readonly window: WindowKind;
  readonly minimumBatch: number;
  readonly outside: Outside;
  /** First and last day in UTC, or empty. */
  readonly opens: string;
  readonly closes: string;
  /** Surveys of one series share a budget on a device; empty where there is none. */
  readonly series: string;
  readonly ask: string;
  readonly cohorts: number;
  readonly changes: number;
  readonly period: number;
  readonly cost: string;
  readonly mechanism: Mechanism;
  /** What people read in place of the names of a record's questions, in order; empty where they read the name, or there is no text at all. */
  readonly texts: readonly string[];
  /** 64 hexadecimal digits that stand for the survey, weights included. */
  readonly digest: string;
  /** The first 32 of them. */
  readonly fingerprint: string;
  /** The public key whose signature was verified, or empty. */
  readonly publisher: string = "";
  /** Address of the collector that it came from, if it was fetched. */
  readonly collector: string | undefined;

  private readonly document: JsonObject;

  private constructor(found: Section) {
    this.name = visibleText(found, "name", 200);
    this.question = visibleText(found, "question", 2000);
    this.mechanism = readMechanism(found.get("mechanism"));
    this.window = found.choice("window", ["once", "day", "week", "month"]);
    this.minimumBatch = found.whole("minimum_batch", 1, 1_000_000_000);
    this.outside = found.choice("outside", ["refuse", "other", "nearest"]);
    const { domain } = this.mechanism;
    const answers = domain.kind === "may-decline" ? domain.domain : domain;
    found.require(this.outside !== "other" || (answers.kind === "categories" && answers.has("other")), "outside", 'refuse, unless there is a category "other"');
    found.require(this.outside !== "nearest" || isNumeric(answers), "outside", "refuse, unless values are numbers");
    this.opens = date(found, "opens");
    this.closes = date(found, "closes");
    found.require(this.opens === "" || this.closes === "" || this.opens <= this.closes, "closes", "a day from opens on");
    this.series = found.get("series") === "" ? "" : visibleText(found, "series", 200);
    ({ ask: this.ask, cohorts: this.cohorts, changes: this.changes, period: this.period, cost: this.cost } = readRepeating(found, this));
    this.texts = textsOf(found, this.mechanism);
    this.document = found.items;
    this.digest = digestOf(this.document);
    this.fingerprint = this.digest.slice(0, 32);
  }

  /** Read a survey's JSON and check everything in it, its certificate included. Throws `InvalidSurvey`. */
  static parse(source: string | Uint8Array, options: ParseOptions = {}): Survey {
    return Survey.read(readJson(source), options);
  }

  /** Read a survey that its publisher signed, and verify the signature. Throws `NotTrusted` where it does not hold. */
  static async parseSigned(source: string | Uint8Array, { publisher, ...options }: SignedOptions = {}): Promise<Survey> {
    const signed = new Section(readJson(source), ["publisher", "signature", "signed", "survey"], "signed survey");
    signed.whole("signed", 1, 1);
    const key = signed.digits("publisher", 64);
    const signature = signed.digits("signature", 128);
    const survey = Object.assign(Survey.read(signed.get("survey"), options), { publisher: key });
    if (publisher !== undefined) checkPublisher(survey, publisher);
    await checkSignature(survey, signature);
    return survey;
  }

  /**
   * Fetch a survey from `https://collector.example/surveys/{fingerprint}` and check it as `parse` does. A survey whose
   * fingerprint is not the one in the address is refused, so that the address stands for what was agreed to. With
   * `publisher`, one that this key did not sign is refused too.
   */
  static async fetch(url: string, options: FetchOptions = {}): Promise<Survey> {
    const address = checkUrl(url, options.plainHttp ?? false);
    const found = /^(.*)\/surveys\/([0-9a-f]{32})$/.exec(address);
    if (found === null) throw new InvalidArgument("url must end with /surveys/ and the fingerprint of a survey");
    const pinned = options.publisher !== undefined;
    const answer = await exchange(pinned ? `${address}/signed` : address, { seconds: options.timeout ?? 10, most: MOST_BYTES });
    if (answer.status !== 200) throw new NoAnswer(`the collector gave no survey: status ${answer.status}`);
    const survey = pinned ? await Survey.parseSigned(answer.body, options) : Survey.parse(answer.body, options);
    if (survey.fingerprint !== found[2]) throw new Mismatch(`the collector gave survey ${survey.fingerprint} where ${found[2]} was asked for`);
    return Object.assign(survey, { collector: found[1] });
  }

  private static read(document: Json | undefined, { maxDelta = "0" }: ParseOptions): Survey {
    const version = document instanceof Map ? document.get("survey") : undefined;
    const more = version === 3 ? REPEATING : version === 4 ? [...REPEATING, "texts"] : [];
    const survey = new Survey(new Section(document, [...KEYS, ...more], "survey"));
    const most = readDecimal(maxDelta);
    if (most !== undefined && !exceeds(survey.certificate.delta, exact(most))) return survey;
    throw new InvalidSurvey(`the delta of ${survey} is not at most maxDelta, which is ${maxDelta}`);
  }

  /** Epsilon of one report, as a decimal. */
  get epsilon(): string {
    return this.mechanism.epsilon.text;
  }

  /** What the weights promise. */
  get certificate(): Certificate {
    return this.mechanism.certificate;
  }

  /** Its name, as messages have it. */
  toString(): string {
    return `survey "${this.name}"`;
  }

  /** What the privacy means, for the people asked: of one report, and of all together. */
  privacy(): string {
    return privacyOf(this);
  }

  /** What is charged for one report, or for all of them, in one line. */
  costInWords(): string {
    return costInWords(this);
  }

  /** Bytes of every payload of this survey. */
  get payloadBytes(): number {
    return payloadBytes(this.mechanism.fields);
  }

  /** The canonical JSON, of which the fingerprint is the hash. */
  toJson(): string {
    return canonical(this.document);
  }

  /** Refuse a value that is neither in the domain nor admitted by `outside`. Nothing is drawn. */
  check(value: unknown): void {
    checkValue(this.mechanism.domain, admit(this.mechanism.domain, this.outside, value));
  }

  /** The payload of one report, where devices remember of the first: the value, drawn with random words. Refuses a bad value before it draws. */
  randomize(value: unknown, source: Words): Uint8Array {
    const admitted = admit(this.mechanism.domain, this.outside, value);
    return writePayload(this.mechanism.fields, this.mechanism.respond(admitted, source));
  }

  /** The name of the window that a day is in, or undefined where the survey is not open on it. */
  windowOf(day: string): string | undefined {
    const { name } = windowOf(this.window, day);
    const open = (this.opens === "" || this.opens <= day) && (this.closes === "" || day <= this.closes);
    return open ? name : undefined;
  }
}

/** The texts of a record's questions, of which one is not empty. */
function textsOf(found: Section, { domain }: Mechanism): string[] {
  if (!found.items.has("texts")) return [];
  const texts = found.list("texts");
  const count = domain.kind === "record" ? domain.questions.length : 0;
  found.require(texts.length === count && texts.some((text) => text !== ""), "texts", "a text for each question of a record, of which one is not empty");
  return texts.map((text) => (text === "" ? text : visibleText(new Section(new Map([["text", text]]), ["text"], `${found.where}.texts`), "text", 2000)));
}

/** Text of 1 to `most` code points, at least one of them above a space, without NUL. */
function visibleText(found: Section, key: string, most: number): string {
  const text = found.text(key);
  // No text of `most` code points has more than twice as many code units.
  const short = text.length <= 2 * most && [...text].length <= most;
  found.require(short && !text.includes("\0") && /[^\u0000-\u0020]/.test(text), key, `text of 1 to ${most} characters that can be seen, without NUL`);
  return text;
}

function date(found: Section, key: string): string {
  const text = found.text(key);
  found.require(text === "" || isDay(text), key, "empty, or a date such as 2026-01-31");
  return text;
}

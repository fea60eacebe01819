import { admit, type Outside } from "./admit.js";
import { canonical, fingerprint } from "./canonical.js";
import type { Certificate } from "./certificate.js";
import { exact, readDecimal } from "./decimal.js";
import { checkUrl, exchange } from "./device/http.js";
import { InvalidArgument, InvalidSurvey, Mismatch, NoAnswer } from "./errors.js";
import { payloadBytes, writePayload } from "./fields.js";
import { checkValue, isNumeric } from "./domain.js";
import { exceeds } from "./fraction.js";
import { MOST_BYTES, readJson, type Json, type JsonObject } from "./json.js";
import { readMechanism, type Mechanism } from "./mechanism.js";
import { privacyInWords } from "./privacy.js";
import { choice, record, require, text, whole } from "./reading.js";
import { isDay, windowName, type WindowKind } from "./windows.js";
import type { Words } from "./words.js";

const KEYS = ["closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series", "survey", "window"];

/** What a program may say about the surveys that it takes. */
export interface ParseOptions {
  /** The most delta, as a decimal; "0" unless said otherwise, so that a promise that may fail is refused. */
  readonly maxDelta?: string;
}

/** What a program may say about fetching a survey. */
export interface FetchOptions extends ParseOptions {
  /** Whether to fetch from an `http://` address of another machine. */
  readonly plainHttp?: boolean;
  /** Seconds for the whole exchange, 10 unless said otherwise. */
  readonly timeout?: number;
}

/** A survey that was read, and whose weights keep its epsilon. */
export class Survey {
  readonly name: string;
  readonly question: string;
  readonly window: WindowKind;
  readonly minimumBatch: number;
  readonly outside: Outside;
  /** First and last day in UTC, or empty. */
  readonly opens: string;
  readonly closes: string;
  readonly mechanism: Mechanism;
  /** 32 hexadecimal digits that stand for the survey, weights included. */
  readonly fingerprint: string;

  private constructor(private readonly document: JsonObject, /** Address of the collector that it came from, if it was fetched. */ readonly collector?: string) {
    whole(document.get("survey"), 2, 2, "survey");
    this.name = words(document.get("name"), 200, "name");
    this.question = words(document.get("question"), 2000, "question");
    this.mechanism = readMechanism(document.get("mechanism"));
    this.window = choice(document.get("window"), ["once", "day", "week", "month"], "window");
    this.minimumBatch = whole(document.get("minimum_batch"), 1, 1_000_000_000, "minimum_batch");
    this.outside = choice(document.get("outside"), ["refuse", "other", "nearest"], "outside");
    const { domain } = this.mechanism;
    require(this.outside !== "other" || (domain.kind === "categories" && domain.has("other")), "outside", 'refuse, unless there is a category "other"');
    require(this.outside !== "nearest" || isNumeric(domain), "outside", "refuse, unless values are numbers");
    this.opens = date(document.get("opens"), "opens");
    this.closes = date(document.get("closes"), "closes");
    require(this.opens === "" || this.closes === "" || this.opens <= this.closes, "closes", "a day from opens on");
    require(document.get("series") === "", "series", "empty");
    this.fingerprint = fingerprint(document);
  }

  /** Read a survey's JSON and check everything in it, its certificate included. Throws `InvalidSurvey`. */
  static parse(source: string | Uint8Array, options: ParseOptions = {}): Survey {
    return Survey.read(source, options);
  }

  /**
   * Fetch a survey from `https://collector.example/surveys/{fingerprint}` and check it as `parse` does. A survey whose
   * fingerprint is not the one in the address is refused, so that the address stands for what was agreed to.
   */
  static async fetch(url: string, options: FetchOptions = {}): Promise<Survey> {
    const address = checkUrl(url, options.plainHttp ?? false);
    const found = /^(.*)\/surveys\/([0-9a-f]{32})$/.exec(address);
    if (found === null) throw new InvalidArgument("url must end with /surveys/ and the fingerprint of a survey");
    const answer = await exchange(address, { seconds: options.timeout ?? 10, most: MOST_BYTES });
    if (answer.status !== 200) throw new NoAnswer(`the collector gave no survey: status ${answer.status}`);
    const survey = Survey.read(answer.body, options, found[1]);
    if (survey.fingerprint !== found[2]) throw new Mismatch(`the collector gave survey ${survey.fingerprint} where ${found[2]} was asked for`);
    return survey;
  }

  private static read(source: string | Uint8Array, options: ParseOptions, collector?: string): Survey {
    const survey = new Survey(record(readJson(source), KEYS, "survey"), collector);
    const most = readDecimal(options.maxDelta ?? "0");
    if (most === undefined || most.value < 0) throw new InvalidArgument("maxDelta must be a decimal from 0, as text");
    if (exceeds(survey.certificate.delta, exact(most))) {
      throw new InvalidSurvey(`the delta of this survey exceeds maxDelta, which is ${most.text}`);
    }
    return survey;
  }

  /** Epsilon of one report, as a decimal: what a report costs. */
  get epsilon(): string {
    return this.mechanism.epsilon.text;
  }

  /** What the weights promise. */
  get certificate(): Certificate {
    return this.mechanism.certificate;
  }

  /** What the privacy means, for the people asked. */
  privacy(): string {
    return privacyInWords(this.certificate);
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

  /** The payload of one report: the value, drawn with random words. Refuses a bad value before it draws. */
  randomize(value: unknown, source: Words): Uint8Array {
    const admitted = admit(this.mechanism.domain, this.outside, value);
    return writePayload(this.mechanism.fields, this.mechanism.respond(admitted, source));
  }

  /** The name of the window that a day is in, or undefined where the survey is not open on it. */
  windowOf(day: string): string | undefined {
    const name = windowName(this.window, day);
    const open = (this.opens === "" || this.opens <= day) && (this.closes === "" || day <= this.closes);
    return open ? name : undefined;
  }
}

/** Text of 1 to `most` code points, at least one of them above a space, without NUL. */
function words(value: Json | undefined, most: number, where: string): string {
  const found = text(value, where);
  // No text of `most` code points has more than twice as many code units.
  const length = found.length > 2 * most ? Infinity : [...found].length;
  require(length >= 1 && length <= most, where, `text of 1 to ${most} characters`);
  require(!found.includes("\0") && /[^\u0000-\u0020]/.test(found), where, "text that can be seen, without NUL");
  return found;
}

function date(value: Json | undefined, where: string): string {
  const found = text(value, where);
  require(found === "" || isDay(found), where, "empty, or a date such as 2026-01-31");
  return found;
}

import { InvalidSurvey } from "./errors.js";

/** What a document is made of. Numbers are whole and exact; objects keep no prototype. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** An object of a document. */
export type JsonObject = Map<string, Json>;

/** The most bytes of a document, as UTF-8. */
export const MOST_BYTES = 4_194_304;
/** The most lists and objects in each other. */
const MOST_DEPTH = 16;

const SHORT: Record<string, string> = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};

/**
 * Read a JSON document strictly: whole numbers from -(2^53 - 1) to 2^53 - 1 alone, written in one way
 * only; no key twice; valid Unicode; at most 4 MiB and 16 levels.
 */
export function readJson(source: string | Uint8Array): Json {
  const text = typeof source === "string" ? source : decode(source);
  checkText(text);
  return new Reader(text).document();
}

/** Bytes as text; what is not UTF-8 is refused, and a byte order mark stays (and is refused later). */
function decode(bytes: Uint8Array): string {
  if (bytes.length > MOST_BYTES) throw new InvalidSurvey("the document has more than 4 MiB");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidSurvey("the document is not UTF-8");
  }
}

/** Refuse text with half a surrogate pair, and text that is too long as UTF-8. */
function checkText(text: string): void {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else {
      const next = unit < 0xdc00 ? text.charCodeAt(i + 1) : 0;
      if (!(next >= 0xdc00 && next <= 0xdfff)) throw new InvalidSurvey("the document is not valid Unicode");
      bytes += 4;
      i++;
    }
    if (bytes > MOST_BYTES) throw new InvalidSurvey("the document has more than 4 MiB");
  }
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(1);
    this.space();
    if (this.at !== this.text.length) this.fail("something follows the document");
    return value;
  }

  private fail(what: string): never {
    throw new InvalidSurvey(`not the JSON of a document at character ${this.at}: ${what}`);
  }

  private space(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.at++;
    }
  }

  /** The next character that is not white space must be this one. */
  private expect(character: string): void {
    this.space();
    if (this.text[this.at] !== character) this.fail(`${character} is missing`);
    this.at++;
  }

  private value(depth: number): Json {
    this.space();
    const first = this.text[this.at];
    if (first === "{" || first === "[") {
      if (depth > MOST_DEPTH) this.fail("more than 16 lists and objects in each other");
      this.at++;
      return first === "{" ? this.object(depth) : this.list(depth);
    }
    if (first === '"') return this.string();
    if (first === "t") return this.word("true", true);
    if (first === "f") return this.word("false", false);
    if (first === "n") return this.word("null", null);
    return this.number();
  }

  private word(spelling: string, value: Json): Json {
    if (!this.text.startsWith(spelling, this.at)) this.fail("a value is missing");
    this.at += spelling.length;
    return value;
  }

  private number(): number {
    const start = this.at;
    if (this.text[this.at] === "-") this.at++;
    const digits = this.at;
    while (this.isDigit()) this.at++;
    const length = this.at - digits;
    const follows = this.text[this.at];
    const written = this.text.slice(start, this.at);
    if (length === 0) this.fail("a value is missing");
    if (follows === "." || follows === "e" || follows === "E") this.fail("a number that is not whole");
    if (this.text[digits] === "0" && (length > 1 || digits > start)) this.fail("a leading zero, or -0");
    if (length > 16 || !Number.isSafeInteger(Number(written))) this.fail("a number beyond 2^53 - 1");
    return Number(written);
  }

  private isDigit(): boolean {
    const unit = this.text.charCodeAt(this.at);
    return unit >= 0x30 && unit <= 0x39;
  }

  private list(depth: number): Json[] {
    const items: Json[] = [];
    this.space();
    if (this.text[this.at] === "]") {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1));
      this.space();
      if (this.text[this.at] === "]") break;
      this.expect(",");
    }
    this.at++;
    return items;
  }

  private object(depth: number): JsonObject {
    const items: JsonObject = new Map();
    this.space();
    if (this.text[this.at] === "}") {
      this.at++;
      return items;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.fail("a key is missing");
      const key = this.string();
      if (items.has(key)) this.fail(`the key ${JSON.stringify(key)} is repeated`);
      this.expect(":");
      items.set(key, this.value(depth + 1));
      this.space();
      if (this.text[this.at] === "}") break;
      this.expect(",");
    }
    this.at++;
    return items;
  }

  private string(): string {
    this.at++;
    let start = this.at;
    let made = "";
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit === 0x22) break;
      if (!(unit >= 0x20)) this.fail("a text that does not end, or a control character");
      if (unit === 0x5c) {
        made += this.text.slice(start, this.at);
        this.at++;
        made += this.escape();
        start = this.at;
      } else {
        this.at++;
      }
    }
    made += this.text.slice(start, this.at);
    this.at++;
    return made;
  }

  /** What follows a backslash; a surrogate must come as a pair of escapes. */
  private escape(): string {
    const kind = this.text[this.at] ?? "";
    this.at++;
    if (kind !== "u") return SHORT[kind] ?? this.fail("unknown escape");
    const first = this.unit();
    if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
    if (first > 0xdbff || this.text[this.at] !== "\\" || this.text[this.at + 1] !== "u") {
      this.fail("half a surrogate pair");
    }
    this.at += 2;
    const second = this.unit();
    if (second < 0xdc00 || second > 0xdfff) this.fail("half a surrogate pair");
    return String.fromCharCode(first, second);
  }

  private unit(): number {
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail("unknown escape");
    this.at += 4;
    return parseInt(digits, 16);
  }
}

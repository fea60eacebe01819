// What all tests of vectors have in common.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { fromHex, ratioText, toHex } from "../dist/index.js";
import { sha256 } from "../dist/sha256.js";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = process.env.SOTTOVOCE_VECTORS ?? path.join(here, "..", "..", "..", "vectors");

export function vectors(file) {
  return JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"));
}

export function mechanismFiles() {
  const files = fs.readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.filter((file) => vectors(file).mechanism !== undefined);
}

/** Counts cases, and keeps the name of every failure. */
export class Tally {
  constructor(file) {
    this.file = file;
    this.cases = 0;
    this.failures = [];
  }

  /** One case: `check` throws, or returns false or a text, where it fails. */
  check(name, check) {
    this.cases++;
    let said;
    try {
      said = check();
    } catch (error) {
      said = `${error.name}: ${error.message}`;
    }
    if (said !== undefined && said !== true) this.failures.push(`${name}: ${said}`);
  }

  finish() {
    console.log(`${this.file}: ${this.cases - this.failures.length} of ${this.cases} cases`);
    if (this.failures.length > 0) throw new Error(`${this.failures.length} failures\n  ` + this.failures.join("\n  "));
  }
}

/** Says what differs. */
export function same(found, wanted, what) {
  return found === wanted ? undefined : `${what}: ${cut(found)} for ${cut(wanted)}`;
}

function cut(value) {
  const text = String(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > 120 ? text.slice(0, 120) + "..." : text;
}

/** Words of a vector; `left` says how many were not drawn. */
export function givenWords(hex) {
  const bytes = fromHex(hex);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return {
    next() {
      if (at >= bytes.length) throw new Error("more words are drawn than are given");
      at += 8;
      return view.getBigUint64(at - 8, true);
    },
    left: () => (bytes.length - at) / 8,
  };
}

/** A positive fraction to `digits` significant digits, as 1.23e-04. */
export function scientific({ numerator, denominator }, digits) {
  if (numerator === 0n) return "0";
  let exponent = 0;
  const at = (e) => (e >= 0 ? [numerator, denominator * 10n ** BigInt(e)] : [numerator * 10n ** BigInt(-e), denominator]);
  const quotient = (e) => at(e).reduce((a, b) => a / b);
  while (quotient(exponent) >= 10n) exponent++;
  while (quotient(exponent) < 1n) exponent--;
  const [a, b] = at(exponent - digits + 1);
  let rounded = (2n * a + b) / (2n * b);
  if (rounded === 10n ** BigInt(digits)) [rounded, exponent] = [rounded / 10n, exponent + 1];
  const text = String(rounded);
  const sign = exponent < 0 ? "-" : "+";
  return `${text[0]}.${text.slice(1)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** The certificate as a vector has it. */
export function checkCertificate(survey, wanted) {
  if (wanted.ratio !== undefined) return same(ratioText(survey.certificate), wanted.ratio, "ratio");
  const digits = wanted.delta.replace(/e.*/, "").replace(".", "").length;
  return same(scientific(survey.certificate.delta, digits), wanted.delta, "delta");
}

/** Bytes as a vector gives them: hexadecimal, or `sha256` and their hash. */
export function checkBytes(found, wanted, what) {
  if (wanted.startsWith("sha256 ")) return same(toHex(sha256(found)), wanted.slice(7), what);
  return same(toHex(found), wanted, what);
}

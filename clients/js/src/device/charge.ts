import { fingerprintOf } from "../canonical.js";
import { exact, readDecimal, withPoint } from "../decimal.js";
import { NoLedger } from "../errors.js";
import type { Fraction } from "../fraction.js";
import type { Survey } from "../survey.js";
import { windowOf } from "../windows.js";
import type { Elapsed } from "./ledger.js";

/**
 * What one report is charged with, as the limits of a device see it; the names are those of the columns of a ledger.
 * `name` and `question` are keys: equal where two surveys ask the same thing. `first` and `last` are the days of the
 * window, `day` is when the report is drawn; `boot` and `uptime` are the same by elapsed time. `series` is equal where
 * surveys share a budget, `publisher` where one key signed them; both may be empty, and are missing in rows that a
 * browser wrote before there were any.
 */
export interface Charge {
  readonly fingerprint: string;
  readonly window: string;
  readonly survey: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly name: string;
  readonly question: string;
  readonly first: string;
  readonly last: string;
  readonly day: string;
  readonly boot: string;
  readonly uptime: number;
  readonly series: string;
  readonly publisher: string;
}

/** What a report of a survey costs that is drawn on a day, for the window of that day: where devices remember, the first one. */
export function chargeOf(survey: Survey, day: string, elapsed: Elapsed): Charge {
  const { name: window, first, last } = windowOf(survey.window, day);
  return {
    fingerprint: survey.fingerprint,
    window,
    survey: survey.name,
    epsilon: survey.cost,
    delta: "0",
    name: plain(survey.name),
    question: questionKey(survey),
    first,
    last,
    day,
    boot: elapsed.boot,
    uptime: elapsed.seconds,
    series: plain(survey.series),
    publisher: survey.publisher,
  };
}

/** Equal where two surveys ask one question over one domain. */
export function questionKey({ question, mechanism }: Survey): string {
  return fingerprintOf([plain(question), mechanism.domain.document]);
}

/** The epsilon of some charges together, exactly. One that cannot be read is not taken for 0. */
export function costOf(...charges: readonly Charge[]): Fraction {
  return exact(addUp(charges));
}

/** The same as decimal text. */
export function costText(charges: readonly Charge[]): string {
  const { digits, scale } = addUp(charges);
  const text = String(digits);
  return withPoint(text, text.length - scale);
}

function addUp(charges: readonly Charge[]): { digits: bigint; scale: number } {
  let digits = 0n;
  let scale = 0;
  for (const { epsilon } of charges) {
    const cost = readDecimal(epsilon);
    if (cost === undefined) throw new NoLedger("the ledger has a report whose cost cannot be read, so nothing is answered");
    const finer = Math.max(scale, cost.scale);
    digits = digits * 10n ** BigInt(finer - scale) + cost.digits * 10n ** BigInt(finer - cost.scale);
    scale = finer;
  }
  return { digits, scale };
}

/** White space as Python's `split` has it. */
const SPACES = /(?:(?!\ufeff)[\s\u001c-\u001f\u0085])+/;

/** Text without case, width and superfluous spaces: NFKC, then full case folding, as the other clients that share a ledger do. */
export function plain(text: string): string {
  const folded = Array.from(text.normalize("NFKC"), fold).join("");
  return folded.split(SPACES).filter((word) => word !== "").join(" ");
}

/** Case folding of one character: lower case of upper case, but for the dotless i, and Cherokee, which folds to upper case. */
function fold(character: string): string {
  if (character === "\u0131") return character;
  const upper = character.toLowerCase().toUpperCase();
  return /[\u13a0-\u13f5]/.test(upper) ? upper : upper.toLowerCase().replace(/\u03c2/g, "\u03c3");
}

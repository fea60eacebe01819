import type { Certificate } from "./certificate.js";
import { decimalOf, exact } from "./decimal.js";
import type { Fraction } from "./fraction.js";
import type { Survey } from "./survey.js";

/** What the privacy means, for the people asked, in the words of the library in Python: where devices remember, of all reports first. All figures are rounded up. */
export function privacyOf(survey: Survey): string {
  const { cohorts, changes, period, certificate, mechanism: { domain, memory } } = survey;
  if (memory === undefined) {
    const words = privacyInWords(certificate) + (domain.kind === "record" ? "\nThis holds for all your answers together, however many of them differ." : "");
    if (cohorts === 1) return words;
    return `${words}\nYour device draws which one of ${windows(cohorts, survey)} asks you: in any ${cohorts} in a row you send at most one report.`;
  }
  const span = period > 0 ? `in ${windows(period, survey)}` : "however many windows you answer";
  const same = changes > 0 ? ", while your answer stays the same" : "";
  const lines = [
    `All your reports together are at most ${times(memory.ratio)} times as likely under one true answer as under another, ${span}${same}; one report at most ${times(certificate.ratio!)} times.`,
    `Someone who thought an answer was a coin flip can be at most ${belief(memory.ratio)}% sure of it after seeing all your reports${same}.`,
    changes === 0
      ? "Your first answer counts in every window. A later change is not reported, so it reveals nothing."
      : `Each further answer counts again. That your answer changed, and when, is not hidden. At most ${changes} ${changes === 1 ? "change is" : "changes are"} reported: whatever your answers were, all your reports together are at most e^${general(roundUp(exact(decimalOf(Number(survey.cost)))), 6)} times as likely under them as under others.`,
  ];
  if (period > 0) lines.push(`After every ${windows(period, survey)} your device begins anew, and all of this counts again.`);
  return lines.join("\n");
}

/** What is charged for one report, or for all of them, in one line. */
export function costInWords(survey: Survey): string {
  const { cohorts, period, cost, mechanism: { epsilon, memory } } = survey;
  const one = general(epsilon.value, 6);
  if (memory !== undefined) {
    return `epsilon ${general(Number(cost), 4)} for all reports${period > 0 ? ` in ${windows(period, survey)}` : ""}, ${one} for one`;
  }
  if (survey.certificate.protects !== undefined) return `epsilon ${one} per report that hides its answer; an open report reveals it`;
  return cohorts > 1 ? `epsilon ${one} in any ${windows(cohorts, survey)} in a row` : `epsilon ${one} per report`;
}

function windows(count: number, { window }: Survey): string {
  return `${count.toLocaleString("en-US")} windows (${window})`;
}

/** What a certificate means of one report. */
function privacyInWords({ ratio, scope, protects }: Certificate): string {
  if (ratio === null) return "The promise of this survey may fail.";
  const sure = `at most ${belief(ratio)}% sure of it after seeing your report`;
  if (protects !== undefined) {
    return (
      `Only these answers are protected: ${protects.named} (${protects.count}).\n` +
      `If yours is one of them, what you send is at most ${times(ratio)} times as likely as from any other answer, and never shows your answer for certain.\n` +
      "If it is another, your device often sends it openly; anyone who sees that knows your answer, and knows that it is none of the protected ones (an open report is unlimited times as likely under your answer as under any other).\n" +
      `A report that hides its answer is therefore a hint at a protected one, never more than ${times(ratio)} to 1.`
    );
  }
  const bound = `Any report is at most ${times(ratio)} times as likely under one`;
  if (scope === "") return `${bound} true answer as under another.\nSomeone who thought an answer was a coin flip can be ${sure}.`;
  return (
    `${bound} of two degrees that differ by one ${scope} as under the other.\n` +
    `Someone who knows everything else, and thought one more ${scope} was a coin flip, can be ${sure}.\n` +
    `This protects the ${scope}, not the answer.`
  );
}

/** The most that one report makes of an even belief, in percent with one decimal: `r / (r + 1)`. */
function belief({ numerator: a, denominator: b }: Fraction): number {
  return Number((1000n * a + a + b - 1n) / (a + b)) / 10;
}

function times(ratio: Fraction): string {
  return roundUp(ratio).toLocaleString("en-US");
}

/** A positive number rounded up to three digits. */
function roundUp({ numerator: a, denominator: b }: Fraction): number {
  let power = 0;
  if (a === 0n) return 0; // the cost of answers that say nothing
  for (; a < 100n * b; power--) a *= 10n;
  for (; a >= 1000n * b; power++) b *= 10n;
  return Number(`${(a + b - 1n) / b}e${power}`);
}

/** A number to so many digits, ties to even, with an exponent below 0.0001 and where it has more digits before the point: `%g`. */
function general(value: number, digits: number): string {
  const [mantissa = "", power] = value.toExponential(100).split("e"); // of these doubles, every digit there is
  const kept = mantissa.slice(0, digits + 1);
  const even = /^50*$/.test(mantissa.slice(digits + 1)) && Number(kept.slice(-1)) % 2 === 0;
  const rounded = even ? Number(`${kept}e${power}`) : Number(value.toPrecision(digits));
  if (rounded === 0 || (rounded >= 1e-4 && rounded < 10 ** digits)) return String(rounded);
  return rounded.toExponential().replace(/e(.)(.)$/, "e$10$2");
}

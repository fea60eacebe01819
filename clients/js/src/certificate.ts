import type { Decimal } from "./decimal.js";
import { holds } from "./exponential.js";
import { lowest, ZERO, type Fraction } from "./fraction.js";

/** What the weights of a mechanism promise, computed from the weights alone. */
export interface Certificate {
  /** The worst ratio of one report's weights under two values; null where delta is promised instead. */
  readonly ratio: Fraction | null;
  /** The chance that e^epsilon is exceeded: 0 for all mechanisms but Gaussian noise. */
  readonly delta: Fraction;
  /** Which two values the ratio is between: any two (`""`), degrees that differ by one (`edge`), or any two of reports that hide their value (`sensitive answer`). */
  readonly scope: "" | "edge" | "sensitive answer";
  /** What is protected where others are revealed: how many answers, and their names. */
  readonly protects?: { readonly count: string; readonly named: string };
}

/** A certificate of a ratio between any two values. */
export function ratioCertificate(ratio: Fraction): Certificate {
  return { ratio, delta: ZERO, scope: "" };
}

/** Whether a certificate keeps epsilon. (That delta is allowed is looked at where it is computed.) */
export function keeps(certificate: Certificate, epsilon: Decimal): boolean {
  return certificate.ratio === null || holds(certificate.ratio, epsilon);
}

/** The ratio in lowest terms, as `numerator/denominator`; empty where there is none. */
export function ratioText(certificate: Certificate): string {
  if (certificate.ratio === null) return "";
  const { numerator, denominator } = lowest(certificate.ratio);
  return `${numerator}/${denominator}`;
}

import type { Decimal } from "./decimal.js";
import type { Fraction } from "./fraction.js";

/** Bits after the point of the bound below. */
export const EXP_BITS = 320n;
const F = 1n << EXP_BITS;

/** A lower bound of e^epsilon, times 2^320, rounded down everywhere. Epsilon is at most 20. */
export function lowerExp(epsilon: Decimal): bigint {
  const x = (epsilon.digits * F) / (10n ** BigInt(epsilon.scale) * 64n);
  let sum = 0n;
  let term = F;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * x) / (F * i);
  }
  for (let i = 0; i < 6; i++) sum = (sum * sum) / F;
  return sum;
}

/** Whether a ratio is at most e^epsilon, decided in integers. */
export function holds(ratio: Fraction, epsilon: Decimal): boolean {
  if (ratio.numerator <= ratio.denominator) return true;
  return ratio.numerator * F <= ratio.denominator * lowerExp(epsilon);
}

import type { Decimal } from "./decimal.js";
import type { Fraction } from "./fraction.js";
import { lastPlace } from "./interval.js";

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

/** A double above the logarithm of a ratio to some power, by one unit in the last place of the nearest; 0 for a ratio of at most 1. */
export function logAbove({ numerator, denominator }: Fraction, power: number): number {
  if (numerator <= denominator) return 0;
  const halvings = BigInt(numerator.toString(2).length - denominator.toString(2).length);
  const log = halvings * smallLog(2n, 1n) + smallLog(numerator, denominator << halvings);
  const nearest = Number(log * BigInt(power)) / Number(F);
  return nearest + lastPlace(nearest);
}

/** The logarithm of a ratio from 1/2 to 2, times 2^320: `2 artanh((a - b) / (a + b))`. */
function smallLog(a: bigint, b: bigint): bigint {
  let term = ((a - b) * F) / (a + b);
  const square = (term * term) / F;
  let sum = 0n;
  for (let i = 1n; term !== 0n; i += 2n) {
    sum += term / i;
    term = (term * square) / F;
  }
  return 2n * sum;
}

/** An exact fraction of two integers, the denominator above 0; not always in lowest terms. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A fraction from its parts. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  return { numerator, denominator };
}

/** One: the ratio where all values give the same reports. */
export const ONE: Fraction = fraction(1n, 1n);
/** Zero: the delta of all pure mechanisms. */
export const ZERO: Fraction = fraction(0n, 1n);

/** Whether the first fraction is above the second. */
export function exceeds(one: Fraction, other: Fraction): boolean {
  return one.numerator * other.denominator > other.numerator * one.denominator;
}

/** The largest of some fractions. */
export function largest(first: Fraction, ...others: readonly Fraction[]): Fraction {
  let most = first;
  for (const one of others) if (exceeds(one, most)) most = one;
  return most;
}

/** A whole multiple of a fraction. */
export function multiple(one: Fraction, times: number): Fraction {
  return fraction(one.numerator * BigInt(times), one.denominator);
}

/** The product of two fractions. */
export function product(one: Fraction, other: Fraction): Fraction {
  return fraction(one.numerator * other.numerator, one.denominator * other.denominator);
}

/** The same fraction in lowest terms. */
export function lowest(one: Fraction): Fraction {
  let a = one.numerator;
  let b = one.denominator;
  while (b > 0n) [a, b] = [b, a % b];
  return a === 0n ? ZERO : fraction(one.numerator / a, one.denominator / a);
}

/** A double near a fraction, to about one unit in the last place; for people, and for formulas that are in doubles. */
export function toNumber(one: Fraction): number {
  let shift = one.denominator.toString(2).length - one.numerator.toString(2).length + 80;
  if (shift <= 0) return Number(one.numerator / one.denominator);
  let value = Number((one.numerator << BigInt(shift)) / one.denominator);
  for (; shift > 0; shift -= 512) value *= 2 ** -Math.min(shift, 512);
  return value;
}

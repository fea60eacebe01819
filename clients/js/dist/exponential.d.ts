import type { Decimal } from "./decimal.js";
import type { Fraction } from "./fraction.js";
/** Bits after the point of the bound below. */
export declare const EXP_BITS = 320n;
/** A lower bound of e^epsilon, times 2^320, rounded down everywhere. Epsilon is at most 20. */
export declare function lowerExp(epsilon: Decimal): bigint;
/** Whether a ratio is at most e^epsilon, decided in integers. */
export declare function holds(ratio: Fraction, epsilon: Decimal): boolean;
/** A double above the logarithm of a ratio to some power, by one unit in the last place of the nearest; 0 for a ratio of at most 1. */
export declare function logAbove({ numerator, denominator }: Fraction, power: number): number;

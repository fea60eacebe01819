import { type Decimal } from "../decimal.js";
import { type Fraction } from "../fraction.js";
import type { Noise } from "./noise.js";
/** The delta of a vector of k numbers, in doubles with margins: the normal distribution is needed for it. */
export declare function rowDelta(noise: Noise, sums: readonly bigint[], bins: number, reach: number, k: number, epsilon: Decimal, where: string): Fraction;

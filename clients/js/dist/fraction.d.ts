/** An exact fraction of two integers, the denominator above 0; not always in lowest terms. */
export interface Fraction {
    readonly numerator: bigint;
    readonly denominator: bigint;
}
/** A fraction from its parts. */
export declare function fraction(numerator: bigint, denominator: bigint): Fraction;
/** One: the ratio where all values give the same reports. */
export declare const ONE: Fraction;
/** Zero: the delta of all pure mechanisms. */
export declare const ZERO: Fraction;
/** Whether the first fraction is above the second. */
export declare function exceeds(one: Fraction, other: Fraction): boolean;
/** The largest of some fractions. */
export declare function largest(first: Fraction, ...others: readonly Fraction[]): Fraction;
/** A whole multiple of a fraction. */
export declare function multiple(one: Fraction, times: number): Fraction;
/** The product of two fractions. */
export declare function product(one: Fraction, other: Fraction): Fraction;
/** The same fraction in lowest terms. */
export declare function lowest(one: Fraction): Fraction;
/** A double near a fraction, to about one unit in the last place; for people, and for formulas that are in doubles. */
export declare function toNumber(one: Fraction): number;

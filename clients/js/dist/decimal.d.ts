import { type Fraction } from "./fraction.js";
/** A real number as documents have it: the text, its double, and exactly `digits / 10^scale`. */
export interface Decimal {
    readonly text: string;
    readonly value: number;
    readonly digits: bigint;
    readonly scale: number;
}
/** The shortest decimal that reads back as the same double, in plain notation, and never "-0". */
export declare function writeDecimal(value: number): string;
/** Digits with the decimal point after so many of them, without superfluous zeros behind it. */
export declare function withPoint(digits: string, whole: number): string;
/** A decimal of a document, or undefined where it is not text, or a writer would have written it otherwise. */
export declare function readDecimal(text: unknown): Decimal | undefined;
/** The decimal that a double is written as. */
export declare function decimalOf(value: number): Decimal;
/** A decimal as an exact fraction. */
export declare function exact(decimal: Pick<Decimal, "digits" | "scale">): Fraction;

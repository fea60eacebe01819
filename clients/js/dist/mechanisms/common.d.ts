import { type Domain, type NumberDomain, type SingleDomain } from "../domain.js";
import { type Decimal } from "../decimal.js";
import { type Fraction } from "../fraction.js";
import { type Certificate } from "../certificate.js";
import { type Mechanism, type Parts, type Source } from "../mechanism.js";
import { Section } from "../reading.js";
/** The options of a mechanism, with exactly these names. */
export declare function readOptions(source: Source, ...names: readonly string[]): Section;
/** The option `bits`: weights are integers over 2^bits. */
export declare function readBits(options: Section): number;
/** The weights of a mechanism, with exactly these names. */
export declare function readWeights<K extends string>(source: Source, ...names: readonly K[]): Record<K, bigint>;
/** Refuse the weights of a mechanism unless something holds. */
export declare function requireWeights(source: Source, condition: boolean, must: string): void;
/** A mechanism inside another, by an option and a domain that is derived: with the epsilon and the weights of the outer one. */
export declare function readInner({ epsilon, weights }: Source, options: Section, key: string, domain: Domain): Mechanism;
/** The domain of a mechanism for categories: any but vectors and sets of pairs. */
export declare function categorical({ domain, where }: Source): SingleDomain;
/** The domain of a mechanism for one number. */
export declare function numeric({ domain, where }: Source): NumberDomain;
/** The parts of a mechanism that draws a report for one input, or for a position finer than that, with this worst ratio. */
export type OneValue = Pick<Parts, "fields" | "cells"> & Partial<Parts> & Required<Pick<Parts, "respondAt">> & {
    readonly ratio: Fraction;
};
/** A mechanism for one value per person: the value's input or position, then the draw. With one position all reports are alike. */
export declare function forOneValue(domain: SingleDomain, { ratio, ...parts }: OneValue, scope?: Certificate["scope"]): Parts;
/** The option `steps`: from 1 to the largest grid, and exactly 1 for whole numbers, days and open ends. */
export declare function readSteps(options: Section, domain: NumberDomain, mostPositions: number): number;
/** The largest double whose shortest decimal, times the number of parts, is at most epsilon. */
export declare function partOf(epsilon: Decimal, parts: number): Decimal;

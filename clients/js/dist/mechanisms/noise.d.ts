import type { Report } from "../fields.js";
import { type Words } from "../words.js";
/** The weights that a noise table is made from. */
export interface NoiseWeights {
    readonly center: bigint;
    readonly ratio: bigint;
    readonly tail: bigint;
    /** What every height has at least: 1, but for degrees. */
    readonly least: bigint;
    /** How the ratio changes from step to step, over 2^128: not at all, but for Gaussian noise. */
    readonly change: bigint;
}
/** The most bins of noise, and the farthest reach. */
export declare const MOST_NOISE: number;
/** A table of noise on bins: heights for noise 0, 1, 2, ..., and the weight of all that is farther. */
export interface Noise {
    readonly heights: readonly bigint[];
    readonly tail: bigint;
    readonly total: bigint;
    /** Heights before rounding, times 2^64, and the ratio of every step, over 2^128. */
    readonly curve: readonly bigint[];
    readonly ratios: readonly bigint[];
    /** One draw: the cell of a bin, from 0 to `bins + 2 reach - 1`. */
    respond(bin: number, words: Words): number;
}
/** Make the table of noise, and check that the weights fill it. */
export declare function makeNoise(weights: NoiseWeights, bins: number, reach: number, where: string): Noise;
/** How many running sums of some weights are at most x: a draw by weights, which looks at all of them. */
export declare function sumsAtMost(x: bigint, weights: readonly bigint[]): number;
/** A report of one cell. */
export declare function oneCell(noise: Noise): (bin: number, words: Words) => Report;

import type { Report } from "../fields.js";
import { MOST_TOTAL } from "../limits.js";
import { demand } from "../reading.js";
import { below, type Words } from "../words.js";

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
export const MOST_NOISE = 2 ** 16;

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
export function makeNoise(weights: NoiseWeights, bins: number, reach: number, where: string): Noise {
  const { center, ratio, tail, least, change } = weights;
  const one = 1n << 128n;
  const right = [center, ratio, tail, least, change].every((weight) => weight >= 1n) && ratio <= one && change <= one;
  demand(right && center < MOST_TOTAL && tail < MOST_TOTAL, where, "at least 1, ratio and change at most 2^128, the others below 2^63");
  const heights: bigint[] = [];
  const curve: bigint[] = [];
  const ratios: bigint[] = [];
  let g = center << 64n;
  let q = ratio;
  let sum = 0n;
  for (let k = 0; k < bins + reach - 1; k++) {
    const height = (g >> 64n) + least;
    curve.push(g);
    ratios.push(q);
    heights.push(height);
    sum += height;
    g = (g * q) >> 128n;
    if (change !== one) q = (q * change) >> 128n;
  }
  const weighed = [tail, ...heights.slice(1).reverse(), ...heights, tail];
  const total = 2n * (sum + tail) - (heights[0] ?? 0n);
  demand(total <= MOST_TOTAL, where, "of a total of at most 2^63");
  const last = bins + 2 * reach - 1;
  return {
    heights, tail, total, curve, ratios,
    respond(bin, words) {
      const cell = bin + sumsAtMost(below(total, words), weighed) - (bins - 1);
      return Math.min(Math.max(cell, 0), last);
    },
  };
}

/** How many running sums of some weights are at most x: a draw by weights, which looks at all of them. */
export function sumsAtMost(x: bigint, weights: readonly bigint[]): number {
  let running = 0n;
  let count = 0;
  for (const weight of weights) {
    running += weight;
    if (running <= x) count++;
  }
  return count;
}

/** A report of one cell. */
export function oneCell(noise: Noise): (bin: number, words: Words) => Report {
  return (bin, words) => [noise.respond(bin, words)];
}

import { MOST_TOTAL } from "../limits.js";
import { demand } from "../reading.js";
import { below } from "../words.js";
/** The most bins of noise, and the farthest reach. */
export const MOST_NOISE = 2 ** 16;
/** Make the table of noise, and check that the weights fill it. */
export function makeNoise(weights, bins, reach, where) {
    const { center, ratio, tail, least, change } = weights;
    const one = 1n << 128n;
    const right = [center, ratio, tail, least, change].every((weight) => weight >= 1n) && ratio <= one && change <= one;
    demand(right && center < MOST_TOTAL && tail < MOST_TOTAL, where, "at least 1, ratio and change at most 2^128, the others below 2^63");
    const heights = [];
    const curve = [];
    const ratios = [];
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
        if (change !== one)
            q = (q * change) >> 128n;
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
export function sumsAtMost(x, weights) {
    let running = 0n;
    let count = 0;
    for (const weight of weights) {
        running += weight;
        if (running <= x)
            count++;
    }
    return count;
}
/** A report of one cell. */
export function oneCell(noise) {
    return (bin, words) => [noise.respond(bin, words)];
}

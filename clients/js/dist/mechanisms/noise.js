import { MOST_TOTAL } from "../limits.js";
import { require } from "../reading.js";
import { below } from "../words.js";
/** The most bins of noise, and the farthest reach. */
export const MOST_NOISE = 2 ** 16;
/** Make the table of noise, and check that the weights fill it. */
export function makeNoise(weights, bins, reach, where) {
    const { center, ratio, tail, least, change } = weights;
    const one = 1n << 128n;
    require([center, ratio, tail, least, change].every((weight) => weight >= 1n), where, "at least 1");
    require(ratio <= one && change <= one, where, "such that ratio and change are at most 2^128");
    require(center < MOST_TOTAL && tail < MOST_TOTAL, where, "such that center and tail are below 2^63");
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
        require(sum <= MOST_TOTAL, where, "of a total of at most 2^63");
        g = (g * q) >> 128n;
        if (change !== one)
            q = (q * change) >> 128n;
    }
    const total = 2n * (sum + tail) - (heights[0] ?? 0n);
    require(total <= MOST_TOTAL, where, "of a total of at most 2^63");
    const last = bins + 2 * reach - 1;
    return {
        heights, tail, total, curve, ratios,
        respond(bin, words) {
            const cell = bin + sumsAtMost(below(total, words), heights, tail) - (bins - 1);
            return Math.min(Math.max(cell, 0), last);
        },
    };
}
/** How many running sums of tail, heights downwards without the first, heights upwards, tail, are at most x. */
function sumsAtMost(x, heights, tail) {
    let running = tail;
    let count = running <= x ? 1 : 0;
    for (let k = heights.length - 1; k > 0; k--) {
        running += heights[k];
        if (running <= x)
            count++;
    }
    for (const height of heights) {
        running += height;
        if (running <= x)
            count++;
    }
    return count;
}
/** A report of one cell. */
export function oneCell(noise) {
    return (bin, words) => [noise.respond(bin, words)];
}

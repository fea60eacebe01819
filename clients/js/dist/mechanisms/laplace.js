import { numberField } from "../fields.js";
import { fraction, largest, ONE } from "../fraction.js";
import { refuse, demand } from "../reading.js";
import { forOneValue, numeric, readBits, readOptions, readWeights } from "./common.js";
import { makeNoise, MOST_NOISE, oneCell } from "./noise.js";
/** Read `laplace`: a bin moved by noise, and kept within the bins. */
export function readLaplace(source) {
    return readNoise(source, { ...readWeights(source, "center", "ratio", "tail"), least: 1n }, "", ({ heights, tail }) => {
        const ends = fraction(heights.reduce((sum, one) => sum + one, tail), tail);
        return largest(ends, fraction(heights[0], heights[heights.length - 1]));
    });
}
/** Read `degree-noise`: the same over counts, but its ratio is between degrees that differ by one. */
export function readDegreeNoise(source) {
    if (source.domain.kind !== "counts")
        refuse(`${source.where}.domain`, "counts");
    return readNoise(source, readWeights(source, "center", "least", "ratio", "tail"), "edge", ({ heights, tail }) => {
        let worst = fraction(heights[heights.length - 1] + tail, tail);
        for (let k = 0; k + 1 < heights.length; k++)
            worst = largest(worst, fraction(heights[k], heights[k + 1]));
        return worst;
    });
}
function readNoise(source, weights, scope, worst) {
    const domain = numeric(source);
    readBits(readOptions(source, "bits"));
    demand(domain.bins <= MOST_NOISE, `${source.where}.domain`, "of at most 2^16 bins");
    const noise = makeNoise({ ...weights, change: 1n << 128n }, domain.bins, 0, `${source.where}.weights`);
    const ratio = domain.bins === 1 ? ONE : worst(noise); // one bin has no heights
    return forOneValue(domain, { fields: [numberField("cell", domain.bins)], cells: domain.bins, ratio, respondAt: oneCell(noise) }, scope);
}

import { numberField } from "../fields.js";
import { exceeds, fraction, largest, ONE, ZERO } from "../fraction.js";
import { refuse, require, weightsNamed } from "../reading.js";
import { byInput, numeric, readBits, readOptions } from "./common.js";
import { makeNoise, MOST_NOISE, oneCell } from "./noise.js";
/** Read `laplace`: a bin moved by noise, and kept within the bins. */
export function readLaplace(source) {
    const where = `${source.where}.weights`;
    const { center, ratio, tail } = weightsNamed(source.weights, ["center", "ratio", "tail"], where);
    return readNoise(source, { center, ratio, tail, least: 1n }, "", ({ heights, tail }) => {
        const ends = fraction(heights.reduce((sum, one) => sum + one, tail), tail);
        return largest(ends, fraction(heights[0], heights[heights.length - 1]));
    });
}
/** Read `degree-noise`: the same over counts, but its ratio is between degrees that differ by one. */
export function readDegreeNoise(source) {
    if (source.domain.kind !== "counts")
        refuse(`${source.where}.domain`, "counts");
    const where = `${source.where}.weights`;
    const weights = weightsNamed(source.weights, ["center", "least", "ratio", "tail"], where);
    return readNoise(source, weights, "edge", ({ heights, tail }) => {
        let worst = fraction(heights[heights.length - 1] + tail, tail);
        for (let k = 0; k + 1 < heights.length; k++) {
            const step = fraction(heights[k], heights[k + 1]);
            if (exceeds(step, worst))
                worst = step;
        }
        return worst;
    });
}
function readNoise(source, weights, scope, worst) {
    const domain = numeric(source);
    const options = readOptions(source, ["bits"]);
    readBits(options.get("bits"), source.where);
    require(domain.bins <= MOST_NOISE, `${source.where}.domain`, "of at most 2^16 bins");
    const noise = makeNoise({ ...weights, change: 1n << 128n }, domain.bins, 0, `${source.where}.weights`);
    return {
        fields: [numberField("cell", domain.bins)],
        cells: domain.bins,
        blocks: 1,
        certificate: { ratio: domain.bins === 1 ? ONE : worst(noise), delta: ZERO, scope },
        ...byInput(domain, oneCell(noise)),
    };
}

import { MOST_POSITIONS, MOST_ROUNDED } from "../limits.js";
import { readSteps, readWeights, requireWeights } from "./common.js";
/** What the options and weights of numbers say; `others` are the weights that belong to keys. */
export function readNumbers(source, interval, options, keyNames) {
    const rounding = options.choice("numbers", ["rounding", "piecewise"]) === "rounding";
    const steps = readSteps(options, interval, rounding ? MOST_ROUNDED : MOST_POSITIONS);
    const positions = interval.bins * steps;
    options.require(positions >= 2, "steps", "such that there are at least 2 positions");
    const names = [...(rounding ? ["base", "unit"] : ["low", "unit", "width"]), ...keyNames];
    const weights = readWeights(source, ...names);
    requireWeights(source, names.every((name) => weights[name] >= 1n), "at least 1");
    const unit = weights["unit"];
    if (rounding) {
        options.whole("output_bins", 2, 2);
        const added = BigInt(positions - 1) * unit;
        const near = (position, draw) => (draw < BigInt(position) * unit ? 1 : 0);
        const numbers = { rounding, outputs: 2, low: weights["base"], added, top: added, outputBins: 2, near, cell: (output) => output };
        return { steps, numbers, others: weights };
    }
    const width = weights["width"];
    requireWeights(source, width <= BigInt(MOST_POSITIONS), "such that width is at most 2^22");
    const outputs = positions + Number(width) - 1;
    const outputBins = options.whole("output_bins", Math.min(2, outputs), outputs);
    const near = (position, draw) => position + Number(draw / unit);
    // At most 2^23 outputs and as many cells: the product is exact in a double.
    const cell = (output) => Math.floor((output * outputBins) / outputs);
    const numbers = { rounding, outputs, low: weights["low"], added: width * unit, top: unit, outputBins, near, cell };
    return { steps, numbers, others: weights };
}

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
    const { unit = 0n, width = 1n } = weights;
    requireWeights(source, width <= BigInt(MOST_POSITIONS), "such that width is at most 2^22");
    const outputs = rounding ? 2 : positions + Number(width) - 1;
    const outputBins = options.whole("output_bins", Math.min(2, outputs), outputs);
    const added = (rounding ? BigInt(positions - 1) : width) * unit;
    const numbers = {
        rounding, outputs, outputBins, added, low: weights[rounding ? "base" : "low"], top: rounding ? added : unit,
        near: (position, draw) => (rounding ? Number(draw < BigInt(position) * unit) : position + Number(draw / unit)),
        // At most 2^23 outputs and as many cells: the product is exact in a double.
        cell: (output) => Math.floor((output * outputBins) / outputs),
    };
    return { steps, numbers, others: weights };
}

import { numberField } from "../fields.js";
import { fraction } from "../fraction.js";
import { MOST_ROUNDED, MOST_TOTAL } from "../limits.js";
import { refuse } from "../reading.js";
import { below } from "../words.js";
import { forOneValue, numeric, readBits, readOptions, readSteps, readWeights, requireWeights } from "./common.js";
/** Read `stochastic-rounding`: high or low, high with a chance that grows with the number. */
export function readRounding(source) {
    const domain = numeric(source);
    if (domain.kind === "dates" || (domain.kind === "interval" && domain.uneven))
        refuse(`${source.where}.domain`, "of numbers in equal bins");
    const options = readOptions(source, "bits", "steps");
    readBits(options);
    const steps = readSteps(options, domain, MOST_ROUNDED);
    const positions = domain.bins * steps;
    options.require(positions >= 2, "steps", "such that there are at least 2 positions");
    const { base, unit } = readWeights(source, "base", "unit");
    const added = BigInt(positions - 1) * unit;
    const total = 2n * base + added;
    requireWeights(source, base >= 1n && unit >= 1n && total <= MOST_TOTAL, "at least 1, with a total of at most 2^63");
    return forOneValue(domain, {
        fields: [numberField("high", 2)],
        cells: 2,
        steps,
        ratio: fraction(base + added, base),
        respondAt: (position, words) => [below(total, words) < base + BigInt(position) * unit ? 1 : 0],
    });
}

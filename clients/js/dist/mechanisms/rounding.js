import { ratioCertificate } from "../certificate.js";
import { numberField } from "../fields.js";
import { fraction } from "../fraction.js";
import { MOST_ROUNDED, MOST_TOTAL } from "../limits.js";
import { require, weightsNamed } from "../reading.js";
import { below } from "../words.js";
import { byPosition, numeric, readBits, readOptions, readSteps } from "./common.js";
/** Read `stochastic-rounding`: high or low, high with a chance that grows with the number. */
export function readRounding(source) {
    const domain = numeric(source);
    const options = readOptions(source, ["bits", "steps"]);
    readBits(options.get("bits"), source.where);
    const steps = readSteps(options.get("steps"), domain, MOST_ROUNDED, source.where);
    const positions = domain.bins * steps;
    require(positions >= 2, `${source.where}.options.steps`, "such that there are at least 2 positions");
    const { base, unit } = weightsNamed(source.weights, ["base", "unit"], `${source.where}.weights`);
    const added = BigInt(positions - 1) * unit;
    const total = 2n * base + added;
    require(base >= 1n && unit >= 1n && total <= MOST_TOTAL, `${source.where}.weights`, "at least 1, with a total of at most 2^63");
    return {
        fields: [numberField("high", 2)],
        cells: 2,
        blocks: 1,
        certificate: ratioCertificate(fraction(base + added, base)),
        ...byPosition(domain, steps, (position, words) => {
            const x = below(total, words);
            return [x < base + BigInt(position) * unit ? 1 : 0];
        }),
    };
}

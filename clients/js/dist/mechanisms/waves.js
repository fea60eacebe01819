import { exact } from "../decimal.js";
import { numberField } from "../fields.js";
import { fraction } from "../fraction.js";
import { MOST_POSITIONS, MOST_TOTAL } from "../limits.js";
import { demand } from "../reading.js";
import { below } from "../words.js";
import { forOneValue, numeric, readBits, readOptions, readSteps, readWeights, requireWeights } from "./common.js";
/** Read `square-wave`: outputs near the true number are likelier, on a line or a ring. */
export function readSquareWave(source) {
    const options = readOptions(source, "b", "bits", "output_bins", "steps", "wrap");
    checkHalfWidth(options);
    return readShape(source, options, options.flag("wrap"), () => 1n);
}
/** Read `piecewise`: a square wave of another width. */
export function readPiecewise(source) {
    return readShape(source, readOptions(source, "bits", "output_bins", "steps"), false, () => 1n);
}
/** Read `wave`: a trapezoid, `ratio` being its upper side over its lower one. */
export function readWave(source) {
    const options = readOptions(source, "b", "bits", "output_bins", "ratio", "steps");
    checkHalfWidth(options);
    const ratio = options.decimal("ratio");
    options.require(ratio.value >= 0 && ratio.value <= 1, "ratio", "from 0 to 1");
    const { numerator, denominator } = exact(ratio);
    return readShape(source, options, false, (width) => {
        const half = width / 2n;
        return half + 1n - (numerator * half) / denominator;
    });
}
function checkHalfWidth(options) {
    if (options.get("b") === null)
        return;
    const b = options.decimal("b").value;
    options.require(b > 0 && b <= 0.5, "b", "null, or above 0 and at most 0.5");
}
/** All waves: a background `low` for every output, and a shape of `cap` units at most over `width` of them. */
function readShape(source, options, wrap, capOf) {
    const domain = numeric(source);
    readBits(options);
    const steps = readSteps(options, domain, MOST_POSITIONS);
    const positions = domain.bins * steps;
    const { low, unit, width } = readWeights(source, "low", "unit", "width");
    const widest = wrap ? positions : MOST_POSITIONS;
    requireWeights(source, width >= 1n && width <= BigInt(widest), `such that width is from 1 to ${widest}`);
    demand(!wrap || positions >= 2, source.where, "of at least 2 positions on a ring");
    const outputs = wrap ? positions : positions + Number(width) - 1;
    const cap = capOf(width);
    const area = cap * (width - cap + 1n) * unit;
    const total = low * BigInt(outputs) + area;
    requireWeights(source, low >= 1n && unit >= 1n && total <= MOST_TOTAL, "at least 1, with a total of at most 2^63");
    const before = Number(width / 2n);
    return forOneValue(domain, {
        fields: [numberField("output", outputs)],
        cells: options.whole("output_bins", Math.min(2, outputs), outputs),
        steps,
        ratio: fraction(low + unit * cap, low),
        respondAt(position, words) {
            const x = below(total, words);
            if (x >= area)
                return [Number((x - area) / low)];
            const near = position + unitsAtMost(x / unit, width, cap);
            return [wrap ? (near - before + positions) % positions : near];
        },
    });
}
/** How many running sums of the shape, in units, are at most x: by bisection, without a table of the shape. */
function unitsAtMost(x, width, cap) {
    const area = cap * (width - cap + 1n);
    const rising = (n) => (n <= cap ? (n * (n + 1n)) / 2n : (cap * (cap + 1n)) / 2n + (n - cap) * cap);
    const sumOf = (n) => (2n * n <= width + 1n ? rising(n) : area - rising(width - n));
    let least = 0n;
    let most = width - 1n;
    while (least < most) {
        const middle = (least + most + 1n) / 2n;
        if (sumOf(middle) <= x)
            least = middle;
        else
            most = middle - 1n;
    }
    return Number(least);
}

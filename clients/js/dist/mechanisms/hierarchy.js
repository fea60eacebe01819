import { bitsField, numberField } from "../fields.js";
import { largest, ONE, product } from "../fraction.js";
import { holds } from "../exponential.js";
import { list, demand, weightsNamed } from "../reading.js";
import { belowNumber } from "../words.js";
import { forOneValue, numeric, partOf, readBits, readOptions, requireWeights } from "./common.js";
import { readOracle, readRanges, startsOf } from "./stack.js";
import { makeUnary, unaryReport } from "./unary.js";
/** Read `hierarchy`: a tree over the bins; a report is about nodes of one level, or of all levels. */
export function readHierarchy(source) {
    const domain = numeric(source);
    const options = readOptions(source, "bits", "branching", "hash_ranges", "split");
    const bits = readBits(options);
    const branching = options.whole("branching", 2, Number.MAX_SAFE_INTEGER);
    const split = options.choice("split", ["population", "budget"]);
    const sizes = [domain.bins];
    while (sizes[sizes.length - 1] > branching)
        sizes.push(Math.ceil(sizes[sizes.length - 1] / branching));
    const weights = list(source.weights, `${source.where}.weights`);
    requireWeights(source, weights.length === sizes.length, "a list with weights for every level");
    const ranges = readRanges(options, split === "budget" ? 0 : sizes.length);
    const tree = { source, bits, branching, sizes, weights };
    return forOneValue(domain, split === "population" ? byPopulation(tree, ranges) : byBudget(tree));
}
/** The node of a level: its bin divided by branching once per level. */
function nodeOf(bin, level, branching) {
    return Math.floor(bin / branching ** level);
}
/** A report is about one drawn level, with all of epsilon. */
function byPopulation({ source, bits, branching, sizes, weights }, ranges) {
    const levels = sizes.map((size, l) => readOracle(source, bits, size, ranges[l], weights[l], l));
    const starts = startsOf(levels);
    const cells = starts[levels.length];
    return {
        fields: [numberField("cell", cells)],
        cells,
        ratio: largest(ONE, ...levels.map(({ ratio }) => ratio)),
        respondAt(bin, words) {
            const level = belowNumber(sizes.length, words);
            return [starts[level] + levels[level].respond(nodeOf(bin, level, branching), words)];
        },
    };
}
/** A report is about all levels, each by unary encoding with a part of epsilon. */
function byBudget({ source, bits, branching, sizes, weights }) {
    const part = partOf(source.epsilon, sizes.length);
    demand(part.value >= 0.000001, `${source.where}.epsilon`, "at least 0.000001 for every level");
    let ratio = ONE;
    const levels = sizes.map((size, l) => {
        const where = `${source.where}, level ${l}`;
        const { own, other } = weightsNamed(weights[l], ["other", "own"], `${where}.weights`);
        const unary = makeUnary(own, other, bits, where);
        const one = size === 1 ? ONE : unary.ratio;
        demand(holds(one, part), `${where}.weights`, `such that no ratio exceeds e^${part.text}`);
        ratio = product(ratio, one);
        return unary;
    });
    const nodes = sizes.reduce((sum, size) => sum + size, 0);
    return {
        fields: sizes.map((size, l) => bitsField(`bits${l}`, size)),
        cells: 2 * nodes,
        blocks: nodes,
        ratio,
        respondAt: (bin, words) => levels.map((unary, l) => unaryReport(unary, sizes[l], nodeOf(bin, l, branching), words)),
    };
}

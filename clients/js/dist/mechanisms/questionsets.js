import { labelOf } from "../domain.js";
import { numberField } from "../fields.js";
import { ratioCertificate } from "../certificate.js";
import { list, refuse } from "../reading.js";
import { belowNumber } from "../words.js";
import { readBits, readOptions, requireWeights } from "./common.js";
import { readRanges, readStack } from "./stack.js";
/** Read `question-sets`: one set of the questions of a record, drawn whatever the answers are, and the answers to it as one value. */
export function readQuestionSets(source) {
    const { domain, where } = source;
    if (domain.kind !== "record")
        refuse(`${where}.domain`, "a record");
    const { questions } = domain;
    const options = readOptions(source, "bits", "design", "hash_ranges", "rates");
    const bits = readBits(options);
    const every = questions.map((_, i) => i);
    const singles = every.map((i) => [i]);
    const pairs = every.flatMap((i) => every.slice(i + 1).map((j) => [i, j]));
    const sets = { sample: singles, pairs, mixed: [...singles, ...pairs], joint: [every] }[options.choice("design", ["sample", "pairs", "mixed", "joint"])];
    const rates = options.list("rates");
    const right = rates.length === sets.length && rates.every((rate) => typeof rate === "number" && rate >= 1);
    const total = right ? rates.reduce((sum, rate) => sum + rate, 0) : 0;
    options.require(right && total <= 2 ** 32, "rates", `a whole number from 1 for each of ${sets.length} sets, 2^32 in all`);
    const weights = list(source.weights, `${where}.weights`);
    requireWeights(source, weights.length === sets.length, "a list with weights for every set");
    const sizes = sets.map((asked) => asked.reduce((size, i) => size * questions[i].domain.size, 1));
    const stack = readStack(source, bits, sizes, readRanges(options, sets.length), weights);
    return {
        fields: [numberField("cell", stack.cells)],
        cells: stack.cells,
        certificate: ratioCertificate(stack.ratio),
        respond(value, words) {
            const answers = domain.answers(value);
            let rest = belowNumber(total, words);
            const which = rates.findIndex((rate) => (rest -= rate) < 0);
            const node = sets[which].reduce((cell, i) => cell * questions[i].domain.size + answers[i], 0);
            return [stack.respond(which, node, words)];
        },
        inWords(cell) {
            const { which, range, hash, answer } = stack.find(cell);
            const asked = sets[which].map((i) => questions[i]);
            const about = `about ${asked.map(({ name }) => `"${name}"`).join(" and ")}`;
            if (range > 0)
                return `${about}: ${answer} of 0 to ${range - 1} under hash number ${hash}`;
            let rest = answer;
            const labels = asked.map(({ domain: { size } }) => size).reverse().map((size) => {
                const index = rest % size;
                rest = Math.floor(rest / size);
                return index;
            }).reverse();
            return `${about}: ${asked.map(({ domain: one }, i) => labelOf(one, labels[i])).join(" and ")}`;
        },
    };
}

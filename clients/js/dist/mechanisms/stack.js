import { numberedCategories } from "../categories.js";
import { largest, ONE } from "../fraction.js";
import { innerMechanism } from "../mechanism.js";
/** The option `hash_ranges`: a number for each oracle. */
export function readRanges(options, count) {
    const ranges = options.list("hash_ranges");
    const right = ranges.length === count && ranges.every((range) => typeof range === "number" && range >= 0);
    return right ? ranges : options.refuse("hash_ranges", `a number of at least 0 for each of ${count}`);
}
/** Make a stack: local hashing over as many values as said, or where the range is 0 randomized response. */
export function readStack({ epsilon, where }, bits, sizes, ranges, weights) {
    const starts = [];
    let cells = 0;
    const oracles = sizes.map((size, i) => {
        const range = ranges[i];
        const options = new Map([["bits", bits]]);
        if (range > 0)
            options.set("hash_range", range);
        const name = range > 0 ? "local-hashing" : "randomized-response";
        const oracle = innerMechanism(name, numberedCategories(size), epsilon, options, weights[i], `${where}, part ${i}`);
        starts.push(cells);
        cells += oracle.cells;
        return oracle;
    });
    return {
        cells,
        ratio: largest(ONE, ...oracles.map(({ certificate }) => certificate.ratio)),
        respond(which, node, words) {
            if (ranges[which] === 0)
                words.next();
            const report = oracles[which].respondAt(node, words);
            return starts[which] + (ranges[which] === 0 ? report[0] : report[0] * ranges[which] + report[1]);
        },
        find(cell) {
            let which = starts.length - 1;
            while (starts[which] > cell)
                which--;
            const range = ranges[which];
            const rest = cell - starts[which];
            return { which, range, hash: range === 0 ? 0 : Math.floor(rest / range), answer: range === 0 ? rest : rest % range };
        },
    };
}

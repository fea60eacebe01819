import { numberedCategories } from "../categories.js";
import { innerMechanism } from "../mechanism.js";
/** The option `hash_ranges`: a number for each oracle. */
export function readRanges(options, count) {
    const ranges = options.list("hash_ranges");
    const right = ranges.length === count && ranges.every((range) => typeof range === "number" && range >= 0);
    return right ? ranges : options.refuse("hash_ranges", `a number of at least 0 for each of ${count}`);
}
/** Local hashing over so many values, or where the range is 0 randomized response. */
export function readOracle({ epsilon, where }, bits, size, range, weights, i) {
    const options = new Map([["bits", bits]]);
    if (range > 0)
        options.set("hash_range", range);
    const name = range > 0 ? "local-hashing" : "randomized-response";
    const oracle = innerMechanism(name, numberedCategories(size), epsilon, options, weights, `${where}, part ${i}`);
    return {
        cells: oracle.cells,
        ratio: oracle.certificate.ratio,
        respond(value, words) {
            if (range === 0)
                words.next();
            const [first, second] = oracle.respondAt(value, words);
            return range === 0 ? first : first * range + second;
        },
        find: (cell) => (range === 0 ? { answer: cell } : { hash: Math.floor(cell / range), answer: cell % range }),
    };
}
/** Where the cells of each begin, and where the last ones end. */
export function startsOf(parts) {
    const starts = [0];
    for (const { cells } of parts)
        starts.push(starts[starts.length - 1] + cells);
    return starts;
}

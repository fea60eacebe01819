import { inputOf, isNumeric } from "../domain.js";
import { record, refuse, whole } from "../reading.js";
/** The option `bits`: weights are integers over 2^bits. */
export function readBits(value, where) {
    return whole(value, 8, 62, `${where}.bits`);
}
/** The options of a mechanism, with exactly these names. */
export function readOptions(source, names) {
    return record(source.options, names, `${source.where}.options`);
}
/** The domain of a mechanism for categories: any but vectors and sets of pairs. */
export function categorical(source) {
    const { domain } = source;
    if (domain.kind === "vector")
        refuse(`${source.where}.domain`, "of one value per person: vectors need sampled-coordinate or gaussian");
    if (domain.kind === "key-values" && domain.pairs !== null)
        refuse(`${source.where}.domain`, "without sets of pairs");
    return domain;
}
/** The domain of a mechanism for one number. */
export function numeric(source) {
    if (!isNumeric(source.domain))
        refuse(`${source.where}.domain`, "an interval, counts or ratings");
    return source.domain;
}
/** How a mechanism for inputs answers values: the value's input, then the draw. */
export function byInput(domain, respondAt) {
    return { steps: 1, respond: (value, words) => respondAt(inputOf(domain, value), words), respondAt };
}
/** The same for a mechanism that sees a number at a position finer than its bin. */
export function byPosition(domain, steps, respondAt) {
    return { steps, respond: (value, words) => respondAt(domain.position(value, steps), words), respondAt };
}
/** The option `steps`: from 1 to the largest grid, and exactly 1 for whole numbers. */
export function readSteps(value, domain, mostPositions, where) {
    const most = domain.kind === "interval" ? Math.floor(mostPositions / domain.bins) : 1;
    const steps = whole(value, 1, Math.max(most, 1), `${where}.options.steps`);
    if (steps * domain.bins > mostPositions)
        refuse(`${where}.options.steps`, `such that there are at most ${mostPositions} positions`);
    return steps;
}

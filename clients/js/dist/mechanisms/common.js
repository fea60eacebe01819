import { inputOf, isNumeric } from "../domain.js";
import { decimalOf, exact } from "../decimal.js";
import { exceeds, multiple, ONE } from "../fraction.js";
import { ratioCertificate } from "../certificate.js";
import { innerMechanism } from "../mechanism.js";
import { refuse, demand, Section, weightsNamed } from "../reading.js";
/** The options of a mechanism, with exactly these names. */
export function readOptions(source, ...names) {
    return new Section(source.options, names, `${source.where}.options`);
}
/** The option `bits`: weights are integers over 2^bits. */
export function readBits(options) {
    return options.whole("bits", 8, 62);
}
/** The weights of a mechanism, with exactly these names. */
export function readWeights(source, ...names) {
    return weightsNamed(source.weights, names, `${source.where}.weights`);
}
/** Refuse the weights of a mechanism unless something holds. */
export function requireWeights(source, condition, must) {
    demand(condition, `${source.where}.weights`, must);
}
/** A mechanism inside another, by an option and a domain that is derived: with the epsilon and the weights of the outer one. */
export function readInner({ epsilon, weights }, options, key, domain) {
    const found = new Section(options.get(key), ["mechanism", "options"], `${options.where}.${key}`);
    return innerMechanism(found.text("mechanism"), domain, epsilon, found.get("options"), weights, found.where);
}
/** The domain of a mechanism for categories: any but vectors and sets of pairs. */
export function categorical({ domain, where }) {
    const several = domain.kind === "vector" || domain.kind === "record" || domain.kind === "choices" || (domain.kind === "key-values" && domain.pairs !== null);
    return several ? refuse(`${where}.domain`, "of one value per person: not a vector, record or choices, and without sets of pairs") : domain;
}
/** The domain of a mechanism for one number. */
export function numeric({ domain, where }) {
    return isNumeric(domain) ? domain : refuse(`${where}.domain`, "an interval, counts or ratings");
}
/** A mechanism for one value per person: the value's input or position, then the draw. With one position all reports are alike. */
export function forOneValue(domain, { ratio, ...parts }, scope = "") {
    const { steps = 1, respondAt } = parts;
    const certificate = { ...ratioCertificate(domain.size * steps === 1 ? ONE : ratio), scope };
    return { steps, certificate, respond: (value, words) => respondAt(inputOf(domain, value, steps), words), ...parts };
}
/** The option `steps`: from 1 to the largest grid, and exactly 1 for whole numbers, days and open ends. */
export function readSteps(options, domain, mostPositions) {
    const fine = (domain.kind === "interval" && !domain.unbounded) || (domain.kind === "dates" && domain.step !== "day");
    const most = fine ? Math.floor(mostPositions / domain.bins) : 1;
    const steps = options.whole("steps", 1, Math.max(most, 1));
    options.require(steps * domain.bins <= mostPositions, "steps", `such that there are at most ${mostPositions} positions`);
    return steps;
}
/** The largest double whose shortest decimal, times the number of parts, is at most epsilon. */
export function partOf(epsilon, parts) {
    let part = epsilon.value / parts;
    for (;;) {
        const tried = decimalOf(part);
        if (!exceeds(multiple(exact(tried), parts), exact(epsilon)))
            return tried;
        part *= 1 - Number.EPSILON / 2; // the next smaller double
    }
}

import { fraction, largest, ONE } from "../fraction.js";
import { inputOf } from "../domain.js";
import { logAbove } from "../exponential.js";
import { innerMechanism } from "../mechanism.js";
import { demand, Section, weightsNamed } from "../reading.js";
import { belowNumber } from "../words.js";
import { forOneValue, readOptions } from "./common.js";
import { readResponse } from "./response.js";
import { drawBits, limitOf } from "./unary.js";
/** Bits of a memo up to which it is not a fingerprint of its device. */
const MOST_BITS = 20;
const UNARY = "unary-encoding";
const INNER = ["randomized-response", "local-hashing", "square-wave", UNARY];
/** Read `memoized`: a permanent answer that a device keeps, and a fresh one over it in every window. */
export function readMemoized(source) {
    const { domain, epsilon, where } = source;
    const options = readOptions(source, "half", "inner", "lifetime", "linkable");
    const lifetime = options.decimal("lifetime");
    options.require(lifetime.value > epsilon.value, "lifetime", "above epsilon");
    const inner = new Section(options.get("inner"), ["mechanism", "options"], `${options.where}.inner`);
    const name = inner.choice("mechanism", INNER);
    const unary = name === UNARY;
    const linkable = options.flag("linkable");
    options.require(linkable || !unary || domain.size <= MOST_BITS, "linkable", `true with more than ${MOST_BITS} values: so many bits identify a device`);
    options.require(!options.flag("half") || unary, "half", "false, unless inner is unary-encoding");
    const weights = new Section(source.weights, ["fresh", "permanent"], `${where}.weights`);
    const first = innerMechanism(name, domain, lifetime, inner.get("options"), weights.get("permanent"), inner.where);
    const partOf = (key) => ({ ...source, weights: weights.get(key), where: `${weights.where}.${key}` });
    const given = { first, permanent: partOf("permanent"), fresh: partOf("fresh"), bits: inner.get("options").get("bits") };
    const { ratio, fromMemo, composed, remember, tell } = (unary ? bitRounds : outputRounds)(given);
    const texts = new Map(Object.entries(composed).map(([key, number]) => [key, String(number)]));
    const { fields, cells, steps = 1, family } = innerMechanism(name, domain, epsilon, inner.get("options"), texts, inner.where);
    const single = domain; // the inner mechanism has refused any other
    const memory = {
        lifetime, family, remember,
        ratio: first.certificate.ratio,
        position: (value) => inputOf(single, value, steps),
        hash: (words) => (family === undefined ? 0 : belowNumber(family.hashes, words)),
        entry: (hash, position) => family?.cell(hash, position) ?? position,
        report: (hash, memo, words) => (family === undefined ? [tell(memo, words)] : [hash, tell(memo, words)]),
        cost(answers, windows = 1) {
            if (answers === 1)
                return lifetime.value;
            const each = logAbove(fromMemo, unary ? domain.size : 1);
            const blocks = Math.min(answers, windows);
            const moved = blocks * lifetime.value + (windows - Math.ceil(windows / blocks)) * each;
            return Math.min(moved, windows * each) * (1 + 2 ** -50);
        },
    };
    return {
        ...forOneValue(single, {
            fields, cells, steps, ratio,
            respondAt(position, words) {
                const hash = memory.hash(words);
                return memory.report(hash, remember(memory.entry(hash, position), words), words);
            },
        }),
        memory,
    };
}
/** A table of two levels, `base` and `base + more` for `span` outputs: the memo is sent with weight `keep`, else any output with `other` each. */
function outputRounds({ first, permanent, fresh, bits }) {
    const wave = first.name === "square-wave";
    const { base, more, span } = levels(wave, permanent);
    const outputs = first.fields[first.fields.length - 1].below;
    const second = readResponse(fresh, Number(outputs), bits);
    const { keep, other } = second;
    const sum = outputs * base + span * more;
    const chance = (weight) => keep * weight + other * sum; // over 2^bits times the sum
    const least = ceil(chance(base), sum);
    const { family } = first;
    const ofCell = family && readResponse(permanent, Number(outputs), bits);
    return {
        ratio: fraction(chance(base + more), chance(base)),
        fromMemo: other === 0n ? ONE : fraction(keep + other, other),
        composed: wave ? { low: least, unit: (keep * more) / sum, width: span } : { keep: (1n << BigInt(bits)) - outputs * least, other: least },
        remember: (entry, words) => ofCell?.respond(entry, words) ?? first.respondAt(entry, words)[0],
        tell: (memo, words) => second.respond(memo, words),
    };
}
function levels(wave, { weights, where }) {
    if (wave) {
        const { low, unit, width } = weightsNamed(weights, ["low", "unit", "width"], where);
        return { base: low, more: unit, span: width };
    }
    const { keep, other } = weightsNamed(weights, ["keep", "other"], where);
    return { base: other, more: keep, span: 1n };
}
/** A bit for each value: a one stays with weight `stay`, a zero rises with weight `rise`. */
function bitRounds({ first, permanent, fresh, bits }) {
    const { own, other } = weightsNamed(permanent.weights, ["own", "other"], permanent.where);
    const { stay, rise } = weightsNamed(fresh.weights, ["stay", "rise"], fresh.where);
    const total = 1n << BigInt(bits);
    demand(0n < rise && rise < stay && stay < total, fresh.where, "such that 0 < rise < stay < 2^bits");
    const chance = (weight) => weight * stay + (total - weight) * rise; // over 2^bits squared
    const [mine, any, square] = [chance(own), chance(other), total * total];
    const limits = [limitOf(rise, bits), limitOf(stay, bits)];
    return {
        ratio: fraction(mine * (square - any), any * (square - mine)),
        fromMemo: largest(fraction(stay, rise), fraction(total - rise, total - stay)),
        composed: { own: mine / total, other: ceil(any, total) },
        remember: (entry, words) => first.respondAt(entry, words)[0],
        tell: (memo, words) => drawBits(first.domain.size, (v) => limits[(memo[v >> 3] >> (v & 7)) & 1], words),
    };
}
function ceil(numerator, denominator) {
    return (numerator + denominator - 1n) / denominator;
}

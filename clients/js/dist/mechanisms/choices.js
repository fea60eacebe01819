import { ratioCertificate } from "../certificate.js";
import { labelOf } from "../domain.js";
import { bitsField, numberField, packBits } from "../fields.js";
import { exceeds, fraction } from "../fraction.js";
import { list, refuse, weight } from "../reading.js";
import { belowNumber } from "../words.js";
import { readBits, readOptions, requireWeights } from "./common.js";
import { readResponse } from "./response.js";
function choices({ domain, where }) {
    return domain.kind === "choices" ? domain : refuse(`${where}.domain`, "choices");
}
/** Read `choice-response`: one item of a set, by randomized response over all items. */
export function readChoiceResponse(source) {
    const domain = choices(source);
    const items = domain.options.size + domain.most;
    const { ratio, respond } = readResponse(source, items, readBits(readOptions(source, "bits")));
    const { numerator, denominator } = ratio; // keep + other, other
    const others = BigInt(domain.most) * denominator;
    return {
        fields: [numberField("item", items)],
        cells: items,
        certificate: ratioCertificate(fraction(others + numerator - denominator, others)),
        respond(value, words) {
            const held = domain.items(value);
            return [respond(held[belowNumber(domain.most, words)], words)];
        },
        inWords: (item) => labelOf(domain, item),
    };
}
/** Read `drawn-option`: whether one drawn option is ticked. */
export function readDrawnOption(source) {
    const domain = choices(source);
    const { ratio, respond } = readResponse(source, 2, readBits(readOptions(source, "bits")));
    return {
        fields: [numberField("option", domain.options.size), numberField("ticked", 2)],
        cells: 2 * domain.options.size,
        certificate: ratioCertificate(ratio),
        respond(value, words) {
            const held = domain.items(value);
            const option = belowNumber(domain.options.size, words);
            return [option, respond(Number(held.includes(option)), words)];
        },
    };
}
/** Read `choice-subsets`: a set of items that has some of one's own more often than others. */
export function readChoiceSubsets(source) {
    const domain = choices(source);
    const [d, m] = [domain.options.size, domain.most];
    const options = readOptions(source, "bits", "report_size");
    const bits = readBits(options);
    const l = options.whole("report_size", 1, d);
    const where = `${source.where}.weights`;
    const weights = list(source.weights, where).map((one) => weight(one, where));
    const total = weights.reduce((sum, one) => sum + one, 0n);
    const own = weights.reduce((sum, one, j) => sum + BigInt(j) * one, 0n);
    const filled = weights.length === Math.min(m, l) + 1 && weights.every((one) => one >= 1n) && total === 1n << BigInt(bits);
    requireWeights(source, filled && BigInt(d) * own > BigInt(m) * (BigInt(l) * total - own), "positive, of sum 2^bits, and larger for items in common");
    const shift = BigInt(64 - bits);
    return {
        fields: [bitsField("bits", d + m)],
        cells: 2 * (d + m),
        blocks: d + m,
        certificate: ratioCertificate(spread(weights, d, m, l)),
        respond(value, words) {
            const held = domain.items(value);
            let rest = words.next() >> shift;
            const common = weights.findIndex((one) => (rest -= one) < 0n);
            const others = Array.from({ length: d + m }, (_, item) => item).filter((item) => !held.includes(item));
            const report = [...shuffled(held, m, words).slice(0, common), ...shuffled(others, l, words).slice(0, l - common)];
            const set = new Uint8Array(d + m);
            for (const item of report)
                set[item] = 1;
            return [packBits(set)];
        },
    };
}
/** The worst ratio of reports: the weight of one with j items in common, by the number of such reports, `C(m, j) C(d, l - j)`, of which a common factor is left out. */
function spread(weights, d, m, l) {
    let [above, below] = [1n, 1n]; // C(m, j) C(d, l - j) / C(d, l) is above / below
    const each = weights.map((one, j) => {
        if (j > 0) {
            above *= BigInt(m - j + 1) * BigInt(l - j + 1);
            below *= BigInt(j) * BigInt(d - l + j);
        }
        return fraction(one * below, above);
    });
    const most = each.reduce((a, b) => (exceeds(b, a) ? b : a));
    const least = each.reduce((a, b) => (exceeds(a, b) ? b : a));
    return fraction(most.numerator * least.denominator, most.denominator * least.numerator);
}
/** The same items, the first `count` of which are drawn one after the other. */
function shuffled(items, count, words) {
    const mixed = [...items];
    for (let i = 0; i < count; i++) {
        const j = i + belowNumber(mixed.length - i, words);
        [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
    }
    return mixed;
}

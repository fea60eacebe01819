import { numberField } from "../fields.js";
import { fraction } from "../fraction.js";
import { categorical, forOneValue, readBits, readOptions, readWeights, requireWeights } from "./common.js";
/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export function readResponse(source, size, bits) {
    const { keep, other } = readWeights(source, "keep", "other");
    const total = 1n << BigInt(bits);
    const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
    requireWeights(source, least && keep + BigInt(size) * other === total, "such that keep + size * other is 2^bits");
    const shift = BigInt(64 - bits);
    return {
        keep, other,
        ratio: fraction(keep + other, other),
        respond(cell, words) {
            const x = words.next() >> shift;
            return x < keep ? cell : Number((x - keep) / other);
        },
    };
}
/** Make such a mechanism; `options` have its `bits`. */
export function hashing(source, domain, options, { hash, g, draw, ...parts }) {
    const { ratio, respond } = readResponse(source, g, readBits(options));
    return forOneValue(domain, {
        ...parts,
        fields: [hash, numberField("cell", g)],
        ratio,
        respondAt(value, words) {
            const [drawn, cell] = draw(value, words);
            return [drawn, respond(cell, words)];
        },
    });
}
/** Read `randomized-response`. */
export function readRandomizedResponse(source) {
    const domain = categorical(source);
    const { ratio, respond } = readResponse(source, domain.size, readBits(readOptions(source, "bits")));
    return forOneValue(domain, {
        fields: [numberField("value", domain.size)],
        cells: domain.size,
        ratio,
        respondAt: (input, words) => [respond(input, words)],
    });
}

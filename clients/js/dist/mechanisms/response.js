import { ratioCertificate } from "../certificate.js";
import { numberField } from "../fields.js";
import { fraction, ONE } from "../fraction.js";
import { require, weightsNamed } from "../reading.js";
import { byInput, categorical, readBits, readOptions } from "./common.js";
/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export function readResponse(weights, size, bits, where) {
    const { keep, other } = weightsNamed(weights, ["keep", "other"], `${where}.weights`);
    const total = 1n << BigInt(bits);
    const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
    require(least && keep + BigInt(size) * other === total, `${where}.weights`, "such that keep + size * other is 2^bits");
    const shift = BigInt(64 - bits);
    return {
        size,
        ratio: size === 1 ? ONE : fraction(keep + other, other),
        respond(cell, words) {
            const x = words.next() >> shift;
            return x < keep ? cell : Number((x - keep) / other);
        },
    };
}
/** Read `randomized-response`. */
export function readRandomizedResponse(source) {
    const domain = categorical(source);
    const options = readOptions(source, ["bits"]);
    const response = readResponse(source.weights, domain.size, readBits(options.get("bits"), source.where), source.where);
    return {
        fields: [numberField("value", domain.size)],
        cells: domain.size,
        blocks: 1,
        certificate: ratioCertificate(response.ratio),
        ...byInput(domain, (input, words) => [response.respond(input, words)]),
    };
}

import { fingerprint } from "../canonical.js";
import { numberField } from "../fields.js";
import { MOST_INPUTS } from "../limits.js";
import { publicIndex } from "../publicwords.js";
import { belowNumber } from "../words.js";
import { categorical, forOneValue, readBits, readOptions } from "./common.js";
import { readResponse } from "./response.js";
/** Read `fixed-hashing`: one of K public hashes, then randomized response on its cell. */
export function readFixedHashing(source) {
    const domain = categorical(source);
    const options = readOptions(source, "bits", "hash_count", "hash_range");
    const count = options.whole("hash_count", 1, Math.min(1250000, Math.floor(2 ** 24 / domain.size)));
    const g = options.whole("hash_range", 2, Math.floor(MOST_INPUTS / count));
    const response = readResponse(source, g, readBits(options));
    let key;
    return forOneValue(domain, {
        fields: [numberField("hash", count), numberField("cell", g)],
        cells: count * g,
        ratio: response.ratio,
        respondAt(value, words) {
            const hash = belowNumber(count, words);
            key ?? (key = fingerprint(source.document));
            const cell = publicIndex("hashes", key, hash, value, g);
            return [hash, response.respond(cell, words)];
        },
    });
}

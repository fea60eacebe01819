import { ratioCertificate } from "../certificate.js";
import { refuse } from "../reading.js";
import { belowNumber } from "../words.js";
import { readBits, readOptions } from "./common.js";
import { readNumbers } from "./keynumbers.js";
import { responseKeys } from "./keyresponse.js";
import { unaryKeys } from "./keyunary.js";
/** Read `key-value`: the key is randomized; where it was kept the number is too, elsewhere one is made up. */
export function readKeyValue(source) {
    const { domain, where } = source;
    if (domain.kind !== "key-values")
        refuse(`${where}.domain`, "key-values");
    const options = readOptions(source, "bits", "keys", "numbers", "output_bins", "steps");
    const bits = readBits(options);
    const keys = options.choice("keys", ["unary", "response"]);
    const { steps, numbers, others } = readNumbers(source, domain.interval, options, keys === "unary" ? ["own", "other"] : []);
    const { ratio, respond: respondTo, ...parts } = keys === "unary"
        ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where)
        : responseKeys(domain.keys.size, domain.pairs, numbers, where);
    const { pairs, interval, pair, set } = domain;
    const place = ({ key, number }) => ({ key, position: interval.position(number, steps) });
    function respond(value, words) {
        if (pairs === null)
            return respondTo(place(pair(value)), words);
        const slots = set(value).map(place);
        const slot = belowNumber(Math.max(pairs, slots.length), words);
        return respondTo(slots[slot] ?? null, words);
    }
    return { ...parts, certificate: ratioCertificate(ratio), respond };
}

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
    const scheme = keys === "unary"
        ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where)
        : responseKeys(domain.keys.size, domain.pairs, numbers, where);
    const held = domain;
    const { pairs, interval } = held;
    const place = (pair) => ({ key: pair.key, position: interval.position(pair.number, steps) });
    function respond(value, words) {
        if (pairs === null)
            return scheme.respond(place(held.pair(value)), words);
        const slots = held.set(value).map(place);
        const slot = belowNumber(Math.max(pairs, slots.length), words);
        return scheme.respond(slots[slot] ?? null, words);
    }
    return {
        fields: scheme.fields,
        cells: scheme.cells,
        blocks: scheme.blocks,
        certificate: ratioCertificate(scheme.ratio),
        respond,
    };
}

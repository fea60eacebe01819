import { numberField } from "../fields.js";
import { fraction, largest } from "../fraction.js";
import { MOST_TOTAL } from "../limits.js";
import { demand } from "../reading.js";
import { below } from "../words.js";
/** Response keys: one key is reported, and a number with it. With sets, a slot without a pair is a dummy key. */
export function responseKeys(keys, pairs, numbers, where) {
    const { outputs, low, added, top } = numbers;
    const O = BigInt(outputs);
    const K = BigInt(keys);
    const total = (K + BigInt(pairs ?? 0)) * O * low + added;
    demand(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");
    const l = BigInt(pairs ?? 1);
    const held = l < K ? l : K;
    const background = l * l * O * low;
    const ratio = largest(fraction(l * low + top, l * low), fraction(background + (l - 1n) * added, background + (l - held) * added));
    return {
        fields: [numberField("key", keys + (pairs === null ? 0 : 1)), numberField(numbers.rounding ? "high" : "cell", numbers.outputBins)],
        cells: keys * numbers.outputBins + (pairs === null ? 0 : 1),
        blocks: 1,
        ratio,
        respond(slot, words) {
            const z = below(total, words);
            if (z < added)
                return slot === null ? [keys, 0] : [slot.key, numbers.cell(numbers.near(slot.position, z))];
            const drawn = (z - added) / low;
            const key = Number(drawn / O);
            return key >= keys ? [keys, 0] : [key, numbers.cell(Number(drawn % O))];
        },
    };
}

import { numberField } from "../fields.js";
import { fraction } from "../fraction.js";
import { belowNumber } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights, requireWeights } from "./common.js";
/** Read `hadamard-response`: a row of a Hadamard matrix, likelier where one's own column is plus. */
export function readHadamardResponse(source) {
    const domain = categorical(source);
    const d = domain.size;
    const options = readOptions(source, "bits", "block_count");
    const bits = readBits(options);
    const blocks = options.whole("block_count", 1, d);
    const rows = 2 ** bitLength(Math.ceil(d / blocks)); // the least power of two above
    options.require(blocks === Math.ceil(d / (rows - 1)), "block_count", "the number of blocks that the values fill");
    const all = blocks * rows;
    const { keep } = readWeights(source, "keep");
    const total = 1n << BigInt(bits);
    requireWeights(source, 0n < keep && keep < total, "above 0 and below 2^bits");
    const rest = (total - keep) * BigInt(rows / 2);
    const shift = BigInt(64 - bits);
    return forOneValue(domain, {
        fields: [numberField("row", all)],
        cells: all,
        ratio: fraction(rest + keep * BigInt(all), rest),
        respondAt(value, words) {
            const kept = words.next() >> shift < keep;
            const row = belowNumber(all, words);
            const column = Math.floor(value / blocks) + 1;
            const z = row % rows;
            const plus = parity(z & column) === 0 ? z : z ^ (column & -column);
            return [kept ? (value % blocks) * rows + plus : row];
        },
    });
}
/** How many binary digits a number has. */
export function bitLength(n) {
    return n.toString(2).length;
}
/** Whether a number below 2^31 has an odd number of set bits: 1 or 0. */
export function parity(n) {
    let bits = n;
    for (const by of [16, 8, 4, 2, 1])
        bits ^= bits >>> by;
    return bits & 1;
}

import { utf8 } from "./bytes.js";
import { shake256 } from "./shake256.js";
/** Words in one block of SHAKE-256. */
const BLOCK = 256;
/**
 * Index below `size` of public word `j` of a row: the same for everybody, chosen by the mechanism's
 * fingerprint (`key`) and the `use`. Makes the one block that holds the word.
 */
export function publicIndex(use, key, row, j, size) {
    const block = shake256(utf8(`sottovoce ${use} 2 ${key} ${row} ${Math.floor(j / BLOCK)}`), 4 * BLOCK);
    const word = new DataView(block.buffer).getUint32(4 * (j % BLOCK), true);
    return Number((BigInt(word) * BigInt(size)) >> 32n);
}

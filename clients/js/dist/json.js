import { utf8 } from "./bytes.js";
import { InvalidSurvey } from "./errors.js";
/** The most bytes of a document, as UTF-8. */
export const MOST_BYTES = 4194304;
/** The most lists and objects in each other. */
const MOST_DEPTH = 16;
/** Texts, each with the colon that makes it a key, and numbers: where `JSON.parse` is not strict enough. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[-+.\deE]*/g;
/** Half of a surrogate pair. */
const HALF = /\p{Cs}/u;
/**
 * Read a JSON document strictly: whole numbers from -(2^53 - 1) to 2^53 - 1 alone, written in one way
 * only; no key twice; valid Unicode; at most 4 MiB and 16 levels.
 */
export function readJson(source) {
    if (source.length > MOST_BYTES || (typeof source === "string" && utf8(source).length > MOST_BYTES))
        fail("it has more than 4 MiB");
    let text;
    let value;
    try {
        // What is not UTF-8 is refused, and so is a byte order mark, which is not JSON.
        text = typeof source === "string" ? source : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(source);
        value = JSON.parse(text);
    }
    catch (error) {
        fail(String(error));
    }
    let keys = countKeys(text);
    /** A value with its objects as maps, whose keys are counted off. */
    const convert = (one, depth) => {
        if (typeof one !== "object" || one === null)
            return one;
        if (depth > MOST_DEPTH)
            fail("it has more than 16 lists and objects in each other");
        if (Array.isArray(one))
            return one.map((inside) => convert(inside, depth + 1));
        const entries = Object.entries(one);
        keys -= entries.length;
        return new Map(entries.map(([key, inside]) => [key, convert(inside, depth + 1)]));
    };
    const json = convert(value, 1);
    if (keys !== 0)
        fail("a key is repeated");
    return json;
}
function fail(why) {
    throw new InvalidSurvey(`not the JSON of a document: ${why}`);
}
/** How many keys a text of JSON has, whose numbers and texts are checked on the way. */
function countKeys(text) {
    if (HALF.test(text))
        fail("it is not valid Unicode");
    let keys = 0;
    for (const [token, quoted, colon] of text.matchAll(TOKENS)) {
        if (colon !== undefined)
            keys++;
        if (quoted === undefined) {
            if (!/^(?:0|-?[1-9]\d*)$/.test(token) || !Number.isSafeInteger(Number(token)))
                fail(`${token.slice(0, 20)} is not a whole number up to 2^53 - 1`);
        }
        else if (quoted.includes("\\u") && HALF.test(JSON.parse(quoted)))
            fail("it has half a surrogate pair");
    }
    return keys;
}

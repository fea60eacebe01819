import { fraction } from "./fraction.js";
/** The longest plain decimal of a double, with room to spare: no longer text is looked at. */
const MOST_LENGTH = 800;
/** The shortest decimal that reads back as the same double, in plain notation, and never "-0". */
export function writeDecimal(value) {
    const short = String(Math.abs(value));
    const sign = value < 0 ? "-" : "";
    const [mantissa = "", exponent] = short.split("e");
    if (exponent === undefined)
        return sign + short;
    const [whole = "", part = ""] = mantissa.split(".");
    const digits = whole + part;
    const point = whole.length + Number(exponent);
    if (point <= 0)
        return sign + "0." + "0".repeat(-point) + digits;
    if (point >= digits.length)
        return sign + digits + "0".repeat(point - digits.length);
    return sign + digits.slice(0, point) + "." + digits.slice(point);
}
/** A decimal of a document, or undefined where it is not text, or a writer would have written it otherwise. */
export function readDecimal(text) {
    if (typeof text !== "string" || text.length > MOST_LENGTH || !/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text))
        return undefined;
    const value = Number(text);
    if (!Number.isFinite(value) || writeDecimal(value) !== text)
        return undefined;
    const point = text.indexOf(".");
    const scale = point < 0 ? 0 : text.length - point - 1;
    return { text, value, digits: BigInt(text.replace(".", "")), scale };
}
/** The decimal that a double is written as. */
export function decimalOf(value) {
    const decimal = readDecimal(writeDecimal(value));
    if (decimal === undefined)
        throw new RangeError("only finite numbers have a decimal");
    return decimal;
}
/** A decimal as an exact fraction. */
export function exact(decimal) {
    return fraction(decimal.digits, 10n ** BigInt(decimal.scale));
}

import { fraction } from "./fraction.js";
/** The longest plain decimal of a double, with room to spare: no longer text is looked at. */
const MOST_LENGTH = 800;
/** The shortest decimal that reads back as the same double, in plain notation, and never "-0". */
export function writeDecimal(value) {
    const [mantissa = "", exponent] = Math.abs(value).toExponential().split("e");
    return (value < 0 ? "-" : "") + withPoint(mantissa.replace(".", ""), 1 + Number(exponent));
}
/** Digits with the decimal point after so many of them, without superfluous zeros behind it. */
export function withPoint(digits, whole) {
    if (whole <= 0)
        return withPoint("0".repeat(1 - whole) + digits, 1);
    return `${digits.slice(0, whole).padEnd(whole, "0")}.${digits.slice(whole)}`.replace(/\.0*$|(\..*[^0])0*$/, "$1");
}
/** A decimal of a document, or undefined where it is not text, or a writer would have written it otherwise. */
export function readDecimal(text) {
    if (typeof text !== "string" || text.length > MOST_LENGTH || !/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text))
        return undefined;
    const value = Number(text);
    if (!Number.isFinite(value) || writeDecimal(value) !== text)
        return undefined;
    const dot = text.indexOf(".");
    const scale = dot < 0 ? 0 : text.length - dot - 1;
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

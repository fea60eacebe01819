import { writeDecimal } from "./decimal.js";
import { InvalidValue } from "./errors.js";
import { MOST_INPUTS } from "./limits.js";
import { sectionOf } from "./reading.js";
/** Read a document of an interval. */
export function readInterval(found) {
    const low = found.decimal("low").value;
    const high = found.decimal("high").value;
    const bins = found.whole("bins", 1, MOST_INPUTS);
    const width = (high - low) / bins;
    const least = 16 * lastPlace(Math.max(Math.abs(low), Math.abs(high)));
    found.require(low < high, "low", "below high");
    found.require(Number.isFinite(width) && width >= least, "bins", "such that bins are 16 units in the last place wide");
    function bin(value) {
        if (typeof value !== "number" || !(value >= low && value <= high)) {
            throw new InvalidValue(`the value must be a number from ${low} to ${high}`);
        }
        let i = Math.min(Math.max(Math.floor((value - low) / width), 0), bins - 1);
        while (i > 0 && low + i * width > value)
            i--;
        while (i < bins - 1 && low + (i + 1) * width <= value)
            i++;
        return i;
    }
    function position(value, steps) {
        const i = bin(value);
        const within = Math.floor((value - (low + i * width)) * (steps / width));
        return i * steps + (within > 0 ? Math.min(within, steps - 1) : 0);
    }
    function nearest(value) {
        if (typeof value !== "number" || Number.isNaN(value))
            throw new InvalidValue("the value must be a number, and not NaN");
        return Math.min(Math.max(value, low), high);
    }
    return {
        kind: "interval", document: found.items, low, high, bins, size: bins, bin, position, nearest,
        cut: (wide) => makeInterval(low, high, wide),
    };
}
/** The interval from one number to another. */
export function makeInterval(low, high, bins) {
    return readInterval(sectionOf({ bins, high: writeDecimal(high), kind: "interval", low: writeDecimal(low), version: 1 }, "interval"));
}
/** The unit in the last place of a positive double, by its exponent: the distance to the next larger one. */
export function lastPlace(value) {
    const [bits] = new BigUint64Array(Float64Array.of(value).buffer);
    return 2 ** (Math.max(Number(bits >> 52n), 1) - 1075);
}

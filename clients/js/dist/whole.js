import { InvalidValue } from "./errors.js";
import { makeInterval, readUnit } from "./interval.js";
import { FARTHEST_RATING, MOST_INPUTS } from "./limits.js";
/** Read a document of counts. */
export function readCounts(found) {
    return wholeNumbers("counts", found, 0, found.whole("most", 0, MOST_INPUTS - 1));
}
/** Read a document of ratings. */
export function readRatings(found) {
    const low = found.whole("low", -FARTHEST_RATING, FARTHEST_RATING);
    const most = Math.min(FARTHEST_RATING, low + MOST_INPUTS - 1);
    return wholeNumbers("ratings", found, low, found.whole("high", low + 1, most));
}
/** Whole numbers of one kind, whose bounds are known to be right. */
function wholeNumbers(kind, found, least, most) {
    const document = found.items;
    const unit = document.has("unit") ? readUnit(found) : "";
    found.require(!document.has("unit") || unit !== "", "unit", "left out, with version 1, where it is empty");
    function bin(value) {
        const number = Number.isInteger(value) ? value : NaN;
        if (number >= least && number <= most)
            return number - least + 0; // -0 becomes 0
        throw new InvalidValue(`the value must be a whole number from ${least} to ${most}`);
    }
    function nearest(value) {
        const right = Number.isInteger(value) || value === Infinity || value === -Infinity;
        if (!right)
            throw new InvalidValue("the value must be a whole number");
        return Math.min(Math.max(value, least), most);
    }
    const bins = most - least + 1;
    return {
        kind, document, least, most, bins, size: bins, unit, bin, nearest,
        position: (value, steps) => bin(value) * steps,
        cut: (wide) => makeInterval(least - 0.5, most + 0.5, wide),
    };
}

import { InvalidValue } from "./errors.js";
import { makeInterval } from "./interval.js";
import { MOST_EDGES } from "./limits.js";
import { dayText, mondayOf, readDay } from "./windows.js";
const MONTHS = { month: 1, quarter: 3, year: 12 };
/** Read a document of dates. */
export function readDates(found) {
    const [first, last] = ["first", "last"].map((key) => readDay(found.text(key)) ?? found.refuse(key, "a date such as 2026-01-31"));
    const step = found.choice("step", ["day", "week", "month", "quarter", "year"]);
    found.require(first <= last, "last", "a date from first on");
    const [low, high] = [first - 0.5, last + 0.5];
    const inner = step === "day" ? [] : startsAfter(first, last, step).map((day) => day - 0.5);
    found.require(inner.length + 2 <= MOST_EDGES, "step", "longer");
    const days = step === "day" ? makeInterval(low, high, high - low, undefined) : makeInterval(low, high, inner.length + 1, [low, ...inner, high], "linear");
    const says = `the value must be a date from ${dayText(first)} to ${dayText(last)}, as text such as "${dayText(first)}"`;
    /** The number of a day, inside or outside. */
    function number(value) {
        const day = typeof value === "string" ? readDay(value) : undefined;
        if (day === undefined)
            throw new InvalidValue(says);
        return day;
    }
    function inside(value) {
        const day = number(value);
        if (day < first || day > last)
            throw new InvalidValue(says);
        return day;
    }
    return {
        kind: "dates", document: found.items, first: dayText(first), last: dayText(last), step, bins: days.bins, size: days.bins,
        start: (index) => dayText(days.edge(index) + 0.5),
        bin: (value) => days.bin(inside(value)),
        position: (value, steps) => days.position(inside(value), steps),
        nearest: (value) => dayText(Math.min(Math.max(number(value), first), last)),
        cut: days.cut,
    };
}
/** The days after the first on which a step begins: Mondays, or the first days of months, quarters and years. No more than are allowed. */
function startsAfter(first, last, step) {
    const starts = [];
    const [year, month] = dayText(first).split("-").map(Number);
    for (let i = 1; starts.length < MOST_EDGES; i++) {
        const day = step === "week" ? mondayOf(first) + 7 * i : firstOfMonth(year, Math.ceil(month / MONTHS[step]) * MONTHS[step] + (i - 1) * MONTHS[step]);
        if (day === undefined || day > last)
            break;
        starts.push(day);
    }
    return starts;
}
/** The first day of a month, counted from January of a year as 0; undefined after the year 9999. */
function firstOfMonth(year, month) {
    return readDay(`${String(year + Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}-01`);
}

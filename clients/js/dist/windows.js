import { InvalidArgument } from "./errors.js";
/** Milliseconds of a day: those of UTC have no other length. */
const DAY = 86400000;
const FIRST = "0001-01-01";
const LAST = "9999-12-31";
/** The days from 1970 to a date such as 2026-01-31, or undefined where it is not a day of the years 1 to 9999. */
export function readDay(text) {
    const day = Date.parse(text) / DAY;
    return text !== "" && dayText(day) === text ? day : undefined;
}
/** The date of a day, or an empty text where it is not one of these years. */
export function dayText(day) {
    const date = new Date(day * DAY);
    const text = Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
    return text >= FIRST ? text : ""; // other years than 1 to 9999 are 0000, or begin with a sign
}
/** Whether a text is a date such as 2026-01-31. */
export function isDay(text) {
    return readDay(text) !== undefined;
}
/** Monday of the week of a day: 1 January 1970 was a Thursday. */
export function mondayOf(day) {
    return day - ((((day + 3) % 7) + 7) % 7);
}
/** Monday of the first week of a year by ISO 8601: the one with 4 January. */
function firstMonday(year) {
    return mondayOf(Date.parse(`${year}-01-04`) / DAY);
}
/** The window that a day (in UTC) is in: its name, first and last day. */
export function windowOf(kind, day) {
    const number = readDay(day);
    if (number === undefined)
        throw new InvalidArgument(`day must be a date such as 2026-01-31; got ${day}`);
    if (kind === "once")
        return { name: "", first: FIRST, last: LAST };
    if (kind === "day")
        return { name: day, first: day, last: day };
    if (kind === "month") {
        const name = day.slice(0, 7);
        return { name, first: `${name}-01`, last: [31, 30, 29, 28].map((end) => `${name}-${end}`).find(isDay) };
    }
    const monday = mondayOf(number);
    const year = new Date((monday + 3) * DAY).toISOString().slice(0, 4);
    const week = (monday - firstMonday(year)) / 7 + 1;
    return { name: `${year}-W${String(week).padStart(2, "0")}`, first: dayText(monday), last: dayText(monday + 6) };
}
/** The number of the window that a day is in: 0 is the one with 1970-01-01, earlier ones are negative. */
export function windowIndex(kind, day) {
    if (kind === "once")
        return 0;
    if (kind === "month")
        return 12 * (Number(day.slice(0, 4)) - 1970) + Number(day.slice(5, 7)) - 1;
    const number = readDay(day);
    return kind === "day" ? number : Math.floor((number + 3) / 7);
}
/** The first day of the window with a number, or an empty text beyond the years that have dates. */
export function firstDay(kind, index) {
    return dayText(kind === "month" ? Date.UTC(1970, index) / DAY : kind === "day" ? index : 7 * index - 3);
}
/** The name of that window. */
export function windowName(kind, day) {
    return windowOf(kind, day).name;
}
/** First and last day of a window, or undefined where a survey with such windows has none of that name. */
export function windowDays(kind, name) {
    const [year = "", week] = name.split("-W");
    const monday = () => dayText(firstMonday(year) + 7 * (Number(week) - 1));
    const day = { once: () => FIRST, day: () => name, month: () => `${name}-01`, week: monday }[kind]();
    if (!isDay(day))
        return undefined;
    const window = windowOf(kind, day);
    return window.name === name && window.last !== "" ? { first: window.first, last: window.last } : undefined;
}

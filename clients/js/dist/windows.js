import { InvalidArgument } from "./errors.js";
/** Days are counted from 1 March of year 0, so that leap days come last: an exact calendar without clocks. */
function dayNumber(year, month, day) {
    const y = month > 2 ? year : year - 1;
    const m = (month + 9) % 12;
    return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * m + 2) / 5) + day - 1;
}
/** The inverse of `dayNumber`: year, month, day. */
function dateOf(number) {
    let year = Math.floor(number / 365.2425);
    while (dayNumber(year + 1, 3, 1) <= number)
        year++;
    while (dayNumber(year, 3, 1) > number)
        year--;
    const rest = number - dayNumber(year, 3, 1);
    const m = Math.floor((5 * rest + 2) / 153);
    const month = m < 10 ? m + 3 : m - 9;
    return [month > 2 ? year : year + 1, month, rest - Math.floor((153 * m + 2) / 5) + 1];
}
const FIRST = dayNumber(1, 1, 1);
const LAST = dayNumber(9999, 12, 31);
function dayText(number) {
    const [year, month, day] = dateOf(number);
    return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
}
function digits(number, count) {
    return String(number).padStart(count, "0");
}
/** Day of the week, Monday being 0. */
function weekday(number) {
    return (((number - FIRST) % 7) + 7) % 7; // 1 January of year 1 was a Monday
}
/** The number of a date such as 2026-01-31, or undefined where it is not a day of the years 1 to 9999. */
function readDay(text) {
    const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
    if (found === null)
        return undefined;
    const number = dayNumber(Number(found[1]), Number(found[2]), Number(found[3]));
    return number >= FIRST && number <= LAST && dayText(number) === text ? number : undefined;
}
/** Whether a text is a date such as 2026-01-31. */
export function isDay(text) {
    return readDay(text) !== undefined;
}
/** Monday of the first week of a year by ISO 8601: the one with 4 January. */
function firstMonday(year) {
    const fourth = dayNumber(year, 1, 4);
    return fourth - weekday(fourth);
}
/** The name of the window that a day (in UTC) is in. */
export function windowName(kind, day) {
    const number = readDay(day);
    if (number === undefined)
        throw new InvalidArgument(`day must be a date such as 2026-01-31; got ${day}`);
    if (kind === "once")
        return "";
    if (kind === "day")
        return day;
    if (kind === "month")
        return day.slice(0, 7);
    const [year] = dateOf(number - weekday(number) + 3);
    const week = Math.floor((number - firstMonday(year)) / 7) + 1;
    return `${digits(year, 4)}-W${digits(week, 2)}`;
}
/** First and last day of a window, or undefined where a survey with such windows has none of that name. */
export function windowDays(kind, name) {
    if (kind === "once")
        return name === "" ? { first: dayText(FIRST), last: dayText(LAST) } : undefined;
    if (kind === "day")
        return isDay(name) ? { first: name, last: name } : undefined;
    if (kind === "month") {
        const first = readDay(`${name}-01`);
        if (first === undefined)
            return undefined;
        const [year, month] = dateOf(first);
        const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
        return { first: `${name}-01`, last: dayText(next - 1) };
    }
    const found = /^([0-9]{4})-W([0-9]{2})$/.exec(name);
    if (found === null)
        return undefined;
    const monday = firstMonday(Number(found[1])) + 7 * (Number(found[2]) - 1);
    if (monday < FIRST || monday + 6 > LAST || windowName("week", dayText(monday)) !== name)
        return undefined;
    return { first: dayText(monday), last: dayText(monday + 6) };
}

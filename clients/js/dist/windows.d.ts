/** How long a window is: a person sends at most one report in each. */
export type WindowKind = "once" | "day" | "week" | "month";
/** A window's first and last day, as year-month-day; for `once` the first and last day of the calendar. */
export interface WindowDays {
    readonly first: string;
    readonly last: string;
}
/** The days from 1970 to a date such as 2026-01-31, or undefined where it is not a day of the years 1 to 9999. */
export declare function readDay(text: string): number | undefined;
/** The date of a day, or an empty text where it is not one of these years. */
export declare function dayText(day: number): string;
/** Whether a text is a date such as 2026-01-31. */
export declare function isDay(text: string): boolean;
/** Monday of the week of a day: 1 January 1970 was a Thursday. */
export declare function mondayOf(day: number): number;
/** The window that a day (in UTC) is in: its name, first and last day. */
export declare function windowOf(kind: WindowKind, day: string): WindowDays & {
    readonly name: string;
};
/** The number of the window that a day is in: 0 is the one with 1970-01-01, earlier ones are negative. */
export declare function windowIndex(kind: WindowKind, day: string): number;
/** The first day of the window with a number, or an empty text beyond the years that have dates. */
export declare function firstDay(kind: WindowKind, index: number): string;
/** The name of that window. */
export declare function windowName(kind: WindowKind, day: string): string;
/** First and last day of a window, or undefined where a survey with such windows has none of that name. */
export declare function windowDays(kind: WindowKind, name: string): WindowDays | undefined;

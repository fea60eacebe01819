import type { Fraction } from "../fraction.js";
import type { Survey } from "../survey.js";
import type { Elapsed } from "./ledger.js";
/**
 * What one report is charged with, as the limits of a device see it; the names are those of the columns of a ledger.
 * `name` and `question` are keys: equal where two surveys ask the same thing. `first` and `last` are the days of the
 * window, `day` is when the report is drawn; `boot` and `uptime` are the same by elapsed time. `series` is equal where
 * surveys share a budget, `publisher` where one key signed them; both may be empty, and are missing in rows that a
 * browser wrote before there were any.
 */
export interface Charge {
    readonly fingerprint: string;
    readonly window: string;
    readonly survey: string;
    readonly epsilon: string;
    readonly delta: string;
    readonly name: string;
    readonly question: string;
    readonly first: string;
    readonly last: string;
    readonly day: string;
    readonly boot: string;
    readonly uptime: number;
    readonly series: string;
    readonly publisher: string;
}
/** What a report of a survey costs that is drawn on a day, for the window of that day: where devices remember, the first one. */
export declare function chargeOf(survey: Survey, day: string, elapsed: Elapsed): Charge;
/** Equal where two surveys ask one question over one domain. */
export declare function questionKey({ question, mechanism }: Survey): string;
/** The epsilon of some charges together, exactly. One that cannot be read is not taken for 0. */
export declare function costOf(...charges: readonly Charge[]): Fraction;
/** The same as decimal text. */
export declare function costText(charges: readonly Charge[]): string;
/** Text without case, width and superfluous spaces: NFKC, then full case folding, as the other clients that share a ledger do. */
export declare function plain(text: string): string;

import type { Survey } from "./survey.js";
/** What the privacy means, for the people asked, in the words of the library in Python: where devices remember, of all reports first. All figures are rounded up. */
export declare function privacyOf(survey: Survey): string;
/** What is charged for one report, or for all of them, in one line. */
export declare function costInWords(survey: Survey): string;

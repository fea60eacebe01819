import type { Parts, Source } from "../mechanism.js";
/** Read `choice-response`: one item of a set, by randomized response over all items. */
export declare function readChoiceResponse(source: Source): Parts;
/** Read `drawn-option`: whether one drawn option is ticked. */
export declare function readDrawnOption(source: Source): Parts;
/** Read `choice-subsets`: a set of items that has some of one's own more often than others. */
export declare function readChoiceSubsets(source: Source): Parts;

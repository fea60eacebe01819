/** The most inputs of a mechanism, and the most cells of its tally. */
export declare const MOST_INPUTS = 2500000;
/** The most edges of an interval. */
export declare const MOST_EDGES = 4096;
/** The bounds of ratings are at most this far from 0. */
export declare const FARTHEST_RATING = 1000000000000;
/** The most bytes of a report's payload. */
export declare const MOST_REPORT_BYTES = 32768;
/** The most positions of a wave's grid, and its largest width. */
export declare const MOST_POSITIONS: number;
/** The most positions of a grid for rounding. */
export declare const MOST_ROUNDED: number;
/** The largest sum of weights that a draw is taken from. */
export declare const MOST_TOTAL: bigint;

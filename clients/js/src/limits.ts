/** The most inputs of a mechanism, and the most cells of its tally. */
export const MOST_INPUTS = 2_500_000;
/** The most edges of an interval. */
export const MOST_EDGES = 4096;
/** The bounds of ratings are at most this far from 0. */
export const FARTHEST_RATING = 1_000_000_000_000;
/** The most bytes of a report's payload. */
export const MOST_REPORT_BYTES = 32_768;
/** The most positions of a wave's grid, and its largest width. */
export const MOST_POSITIONS = 2 ** 22;
/** The most positions of a grid for rounding. */
export const MOST_ROUNDED = 2 ** 40;
/** The largest sum of weights that a draw is taken from. */
export const MOST_TOTAL = 1n << 63n;

import type { Parts, Source } from "../mechanism.js";
/** Read `stochastic-rounding`: high or low, high with a chance that grows with the number. */
export declare function readRounding(source: Source): Parts;

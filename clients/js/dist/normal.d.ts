/** The normal distribution function. */
export declare function normal(x: number): number;
/** Its inverse: by bisection of the double's range, then Newton's steps on the logarithm. */
export declare function normalInverse(p: number): number;

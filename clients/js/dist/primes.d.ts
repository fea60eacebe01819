/** Whether a whole number is a prime, by trial division: numbers here are below 2^22 or so. */
export declare function isPrime(n: number): boolean;
/** The first prime at or above a number. */
export declare function primeFrom(n: number): number;

import { type Domain } from "./domain.js";
/** What a device does with a value outside the domain. */
export type Outside = "refuse" | "other" | "nearest";
/** The value that is randomized for a value: itself, `"other"`, or the nearest number. Refusals come from the domain. */
export declare function admit(domain: Domain, outside: Outside, value: unknown): unknown;

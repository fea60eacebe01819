import type { Numbers } from "./keynumbers.js";
import type { KeyScheme } from "./keyvalue.js";
/** Unary keys: every key is set or not, and one that is set has a number. */
export declare function unaryKeys(keys: number, pairs: number | null, numbers: Numbers, weights: Record<string, bigint>, bits: number, where: string): KeyScheme;

import type { Numbers } from "./keynumbers.js";
import type { KeyScheme } from "./keyvalue.js";
/** Response keys: one key is reported, and a number with it. With sets, a slot without a pair is a dummy key. */
export declare function responseKeys(keys: number, pairs: number | null, numbers: Numbers, where: string): KeyScheme;

import type { Parts, Source } from "../mechanism.js";
/** Every mechanism without delta by its explaining name; `withdelta.ts` adds the one that has it. */
export declare const READERS: Map<string, (source: Source) => Parts>;

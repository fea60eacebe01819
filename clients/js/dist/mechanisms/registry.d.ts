import type { Parts, Source } from "../mechanism.js";
/** Every mechanism by its explaining name. */
export declare const READERS: ReadonlyMap<string, (source: Source) => Parts>;

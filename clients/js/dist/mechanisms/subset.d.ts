import type { Parts, Source } from "../mechanism.js";
/** Read `subset-selection`. */
export declare function readSubsetSelection(source: Source): Parts;

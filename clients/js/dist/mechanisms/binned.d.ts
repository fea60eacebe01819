import type { Parts, Source } from "../mechanism.js";
/** Read `binned`: wider bins, and an oracle that reports these. */
export declare function readBinned(source: Source): Parts;

import type { Parts, Source } from "../mechanism.js";
/** Read `hierarchy`: a tree over the bins; a report is about nodes of one level, or of all levels. */
export declare function readHierarchy(source: Source): Parts;

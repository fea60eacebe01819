import type { Parts, Source } from "../mechanism.js";
/** Read `table`: row v holds the weights of every report for value v. */
export declare function readTable(source: Source): Parts;

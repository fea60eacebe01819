import { type Parts, type Source } from "../mechanism.js";
/** Read `memoized`: a permanent answer that a device keeps, and a fresh one over it in every window. */
export declare function readMemoized(source: Source): Parts;

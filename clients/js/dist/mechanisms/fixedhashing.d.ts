import type { Parts, Source } from "../mechanism.js";
/** Read `fixed-hashing`: one of K public hashes, then randomized response on its cell. */
export declare function readFixedHashing(source: Source): Parts;

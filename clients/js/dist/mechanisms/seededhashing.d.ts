import type { Parts, Source } from "../mechanism.js";
/** Read `seeded-hashing`: a fresh seed is the hash, then randomized response on its cell. */
export declare function readSeededHashing(source: Source): Parts;

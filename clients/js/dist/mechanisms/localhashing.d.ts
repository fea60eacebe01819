import type { Parts, Source } from "../mechanism.js";
/** Read `local-hashing`: a random public hash of the linear family, then randomized response on its cell. */
export declare function readLocalHashing(source: Source): Parts;

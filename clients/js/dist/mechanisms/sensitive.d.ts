import type { Parts, Source } from "../mechanism.js";
/** Read `sensitive-response`: the value itself, or any sensitive one. */
export declare function readSensitiveResponse(source: Source): Parts;
/** Read `sensitive-hashing`: a cell of a hash over the sensitive values, or another value openly. */
export declare function readSensitiveHashing(source: Source): Parts;
/** Read `sensitive-subsets`: a set of sensitive values, or another value openly. */
export declare function readSensitiveSubsets(source: Source): Parts;

import type { Parts, Source } from "../mechanism.js";
/** Read `sampled-coordinate`: one coordinate, drawn whatever the vector is, by a mechanism for one number. */
export declare function readSampledCoordinate(source: Source): Parts;

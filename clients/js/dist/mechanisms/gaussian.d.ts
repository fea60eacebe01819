import type { Parts, Source } from "../mechanism.js";
/** Read `gaussian`: noise on a bin, or on every coordinate of a vector. It keeps epsilon but for a chance, delta. */
export declare function readGaussian(source: Source): Parts;

import type { Parts, Source } from "../mechanism.js";
/** Read `laplace`: a bin moved by noise, and kept within the bins. */
export declare function readLaplace(source: Source): Parts;
/** Read `degree-noise`: the same over counts, but its ratio is between degrees that differ by one. */
export declare function readDegreeNoise(source: Source): Parts;

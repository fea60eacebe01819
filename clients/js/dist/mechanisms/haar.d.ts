import type { Parts, Source } from "../mechanism.js";
/** Read `haar`: a device reports, for one drawn height, in which half of its node the value is. */
export declare function readHaar(source: Source): Parts;

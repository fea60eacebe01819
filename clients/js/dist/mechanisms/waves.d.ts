import type { Parts, Source } from "../mechanism.js";
/** Read `square-wave`: outputs near the true number are likelier, on a line or a ring. */
export declare function readSquareWave(source: Source): Parts;
/** Read `piecewise`: a square wave of another width. */
export declare function readPiecewise(source: Source): Parts;
/** Read `wave`: a trapezoid, `ratio` being its upper side over its lower one. */
export declare function readWave(source: Source): Parts;

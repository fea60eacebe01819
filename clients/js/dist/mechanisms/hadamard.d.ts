import type { Parts, Source } from "../mechanism.js";
/** Read `hadamard-response`: a row of a Hadamard matrix, likelier where one's own column is plus. */
export declare function readHadamardResponse(source: Source): Parts;
/** How many binary digits a number has. */
export declare function bitLength(n: number): number;
/** Whether a number below 2^31 has an odd number of set bits: 1 or 0. */
export declare function parity(n: number): number;

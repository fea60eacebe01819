import { type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import type { Words } from "../words.js";
/** Randomized response over `size` cells: `keep + size * other = 2^bits`. */
export interface Response {
    readonly ratio: Fraction;
    /** One word: the cell itself, or any cell. */
    respond(cell: number, words: Words): number;
}
/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export declare function readResponse(source: Source, size: number, bits: number): Response;
/** Read `randomized-response`. */
export declare function readRandomizedResponse(source: Source): Parts;

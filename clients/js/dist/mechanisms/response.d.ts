import type { SingleDomain } from "../domain.js";
import { type Field } from "../fields.js";
import { type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import type { Words } from "../words.js";
/** Randomized response over `size` cells: `keep + size * other = 2^bits`. */
export interface Response {
    readonly keep: bigint;
    readonly other: bigint;
    readonly ratio: Fraction;
    /** One word: the cell itself, or any cell. */
    respond(cell: number, words: Words): number;
}
/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export declare function readResponse(source: Source, size: number, bits: number): Response;
/** Parts of a mechanism that reports a hash, and by randomized response the cell of the value under it. */
interface Hashing extends Pick<Parts, "cells" | "blocks"> {
    readonly hash: Field;
    readonly g: number;
    /** A hash, and the cell of a value under it. */
    draw(value: number, words: Words): readonly [number | bigint, number];
}
/** Make such a mechanism; `options` have its `bits`. */
export declare function hashing(source: Source, domain: SingleDomain, options: Section, { hash, g, draw, ...parts }: Hashing): Parts;
/** Read `randomized-response`. */
export declare function readRandomizedResponse(source: Source): Parts;
export {};

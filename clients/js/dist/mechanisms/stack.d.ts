import type { Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import { type Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import type { Words } from "../words.js";
/** An oracle over numbered values, whose hash and answer are one number: of a level of a tree, or of a set of questions. */
export interface Oracle {
    readonly cells: number;
    readonly ratio: Fraction;
    /** The cell that is reported for a value: a word for the hash, one for the response. */
    respond(value: number, words: Words): number;
    /** The hash and the answer that a cell stands for; where there are no hashes the hash is missing. */
    find(cell: number): {
        hash?: number;
        answer: number;
    };
}
/** The option `hash_ranges`: a number for each oracle. */
export declare function readRanges(options: Section, count: number): number[];
/** Local hashing over so many values, or where the range is 0 randomized response. */
export declare function readOracle({ epsilon, where }: Source, bits: number, size: number, range: number, weights: Json, i: number): Oracle;
/** Where the cells of each begin, and where the last ones end. */
export declare function startsOf(parts: readonly {
    readonly cells: number;
}[]): number[];

import { type Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import { type Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import type { Words } from "../words.js";
/** Oracles whose cells follow each other: those of the levels of a tree, or of sets of questions. */
export interface Stack {
    readonly cells: number;
    /** The worst of all. */
    readonly ratio: Fraction;
    /** The cell that one of them reports for a node: a word for its hash, one for its response. */
    respond(which: number, node: number, words: Words): number;
    /** Which one a cell is of, and the hash and the answer that it stands for; `range` is 0 where there are no hashes. */
    find(cell: number): {
        which: number;
        range: number;
        hash: number;
        answer: number;
    };
}
/** The option `hash_ranges`: a number for each oracle. */
export declare function readRanges(options: Section, count: number): number[];
/** Make a stack: local hashing over as many values as said, or where the range is 0 randomized response. */
export declare function readStack({ epsilon, where }: Source, bits: number, sizes: readonly number[], ranges: readonly number[], weights: readonly Json[]): Stack;

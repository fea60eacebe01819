import type { Interval } from "../interval.js";
import type { Source } from "../mechanism.js";
import type { Section } from "../reading.js";
/** How the number of a pair is randomized: every output has `low`, and some have more, `added` in all. */
export interface Numbers {
    readonly rounding: boolean;
    /** How many outputs there are. */
    readonly outputs: number;
    readonly low: bigint;
    readonly added: bigint;
    /** The most that one output has above `low`. */
    readonly top: bigint;
    /** In how many cells outputs are reported. */
    readonly outputBins: number;
    /** The output that a draw below `added` stands for, at a position. */
    near(position: number, draw: bigint): number;
    /** The cell of an output. */
    cell(output: number): number;
}
/** What the options and weights of numbers say; `others` are the weights that belong to keys. */
export declare function readNumbers(source: Source, interval: Interval, options: Section, keyNames: readonly string[]): {
    steps: number;
    numbers: Numbers;
    others: Record<string, bigint>;
};

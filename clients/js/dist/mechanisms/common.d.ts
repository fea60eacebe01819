import { type NumberDomain, type SingleDomain } from "../domain.js";
import type { Report } from "../fields.js";
import type { Json } from "../json.js";
import type { Source } from "../mechanism.js";
import type { Words } from "../words.js";
/** The option `bits`: weights are integers over 2^bits. */
export declare function readBits(value: Json | undefined, where: string): number;
/** The options of a mechanism, with exactly these names. */
export declare function readOptions(source: Source, names: readonly string[]): Map<string, Json>;
/** The domain of a mechanism for categories: any but vectors and sets of pairs. */
export declare function categorical(source: Source): SingleDomain;
/** The domain of a mechanism for one number. */
export declare function numeric(source: Source): NumberDomain;
/** How a mechanism for inputs answers values: the value's input, then the draw. */
export declare function byInput(domain: SingleDomain, respondAt: (input: number, words: Words) => Report): {
    steps: number;
    respond: (value: unknown, words: Words) => Report;
    respondAt: (input: number, words: Words) => Report;
};
/** The same for a mechanism that sees a number at a position finer than its bin. */
export declare function byPosition(domain: NumberDomain, steps: number, respondAt: (position: number, words: Words) => Report): {
    steps: number;
    respond: (value: unknown, words: Words) => Report;
    respondAt: (position: number, words: Words) => Report;
};
/** The option `steps`: from 1 to the largest grid, and exactly 1 for whole numbers. */
export declare function readSteps(value: Json | undefined, domain: NumberDomain, mostPositions: number, where: string): number;

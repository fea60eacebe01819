import type { Interval } from "../interval.js";
import { MOST_POSITIONS, MOST_ROUNDED } from "../limits.js";
import type { Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import { readSteps, readWeights, requireWeights } from "./common.js";

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
export function readNumbers(source: Source, interval: Interval, options: Section, keyNames: readonly string[]): {
  steps: number;
  numbers: Numbers;
  others: Record<string, bigint>;
} {
  const rounding = options.choice("numbers", ["rounding", "piecewise"]) === "rounding";
  const steps = readSteps(options, interval, rounding ? MOST_ROUNDED : MOST_POSITIONS);
  const positions = interval.bins * steps;
  options.require(positions >= 2, "steps", "such that there are at least 2 positions");
  const names = [...(rounding ? ["base", "unit"] : ["low", "unit", "width"]), ...keyNames];
  const weights: Record<string, bigint> = readWeights(source, ...names);
  requireWeights(source, names.every((name) => weights[name]! >= 1n), "at least 1");
  const { unit = 0n, width = 1n } = weights;
  requireWeights(source, width <= BigInt(MOST_POSITIONS), "such that width is at most 2^22");
  const outputs = rounding ? 2 : positions + Number(width) - 1;
  const outputBins = options.whole("output_bins", Math.min(2, outputs), outputs);
  const added = (rounding ? BigInt(positions - 1) : width) * unit;
  const numbers: Numbers = {
    rounding, outputs, outputBins, added, low: weights[rounding ? "base" : "low"]!, top: rounding ? added : unit,
    near: (position, draw) => (rounding ? Number(draw < BigInt(position) * unit) : position + Number(draw / unit)),
    // At most 2^23 outputs and as many cells: the product is exact in a double.
    cell: (output) => Math.floor((output * outputBins) / outputs),
  };
  return { steps, numbers, others: weights };
}

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
  const unit = weights["unit"]!;

  if (rounding) {
    options.whole("output_bins", 2, 2);
    const added = BigInt(positions - 1) * unit;
    const near = (position: number, draw: bigint): number => (draw < BigInt(position) * unit ? 1 : 0);
    const numbers: Numbers = { rounding, outputs: 2, low: weights["base"]!, added, top: added, outputBins: 2, near, cell: (output) => output };
    return { steps, numbers, others: weights };
  }
  const width = weights["width"]!;
  requireWeights(source, width <= BigInt(MOST_POSITIONS), "such that width is at most 2^22");
  const outputs = positions + Number(width) - 1;
  const outputBins = options.whole("output_bins", Math.min(2, outputs), outputs);
  const near = (position: number, draw: bigint): number => position + Number(draw / unit);
  // At most 2^23 outputs and as many cells: the product is exact in a double.
  const cell = (output: number): number => Math.floor((output * outputBins) / outputs);
  const numbers: Numbers = { rounding, outputs, low: weights["low"]!, added: width * unit, top: unit, outputBins, near, cell };
  return { steps, numbers, others: weights };
}

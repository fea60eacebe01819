import type { Interval } from "../interval.js";
import type { Json } from "../json.js";
import { MOST_POSITIONS, MOST_ROUNDED } from "../limits.js";
import type { Source } from "../mechanism.js";
import { choice, require, weightsNamed, whole } from "../reading.js";
import { readSteps } from "./common.js";

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
export function readNumbers(source: Source, interval: Interval, options: Map<string, Json>, keyNames: readonly string[]): {
  steps: number;
  numbers: Numbers;
  others: Record<string, bigint>;
} {
  const { where } = source;
  const kind = choice(options.get("numbers"), ["rounding", "piecewise"], `${where}.options.numbers`);
  const rounding = kind === "rounding";
  const steps = readSteps(options.get("steps"), interval, rounding ? MOST_ROUNDED : MOST_POSITIONS, where);
  const positions = interval.bins * steps;
  require(positions >= 2, `${where}.options.steps`, "such that there are at least 2 positions");
  const names = [...(rounding ? ["base", "unit"] : ["low", "unit", "width"]), ...keyNames];
  const weights: Record<string, bigint> = weightsNamed(source.weights, names, `${where}.weights`);
  require(names.every((name) => weights[name]! >= 1n), `${where}.weights`, "at least 1");
  const unit = weights["unit"]!;

  if (rounding) {
    whole(options.get("output_bins"), 2, 2, `${where}.options.output_bins`);
    const added = BigInt(positions - 1) * unit;
    const near = (position: number, draw: bigint): number => (draw < BigInt(position) * unit ? 1 : 0);
    const numbers: Numbers = { rounding, outputs: 2, low: weights["base"]!, added, top: added, outputBins: 2, near, cell: (output) => output };
    return { steps, numbers, others: weights };
  }
  const width = weights["width"]!;
  require(width <= BigInt(MOST_POSITIONS), `${where}.weights.width`, "at most 2^22");
  const outputs = positions + Number(width) - 1;
  const outputBins = whole(options.get("output_bins"), Math.min(2, outputs), outputs, `${where}.options.output_bins`);
  const near = (position: number, draw: bigint): number => position + Number(draw / unit);
  // At most 2^23 outputs and as many cells: the product is exact in a double.
  const cell = (output: number): number => Math.floor((output * outputBins) / outputs);
  const numbers: Numbers = { rounding, outputs, low: weights["low"]!, added: width * unit, top: unit, outputBins, near, cell };
  return { steps, numbers, others: weights };
}

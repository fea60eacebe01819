import { numberedCategories } from "../categories.js";
import { largest, ONE, type Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import { innerMechanism, type Source } from "../mechanism.js";
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
  find(cell: number): { which: number; range: number; hash: number; answer: number };
}

/** The option `hash_ranges`: a number for each oracle. */
export function readRanges(options: Section, count: number): number[] {
  const ranges = options.list("hash_ranges");
  const right = ranges.length === count && ranges.every((range) => typeof range === "number" && range >= 0);
  return right ? (ranges as number[]) : options.refuse("hash_ranges", `a number of at least 0 for each of ${count}`);
}

/** Make a stack: local hashing over as many values as said, or where the range is 0 randomized response. */
export function readStack({ epsilon, where }: Source, bits: number, sizes: readonly number[], ranges: readonly number[], weights: readonly Json[]): Stack {
  const starts: number[] = [];
  let cells = 0;
  const oracles = sizes.map((size, i) => {
    const range = ranges[i]!;
    const options = new Map<string, Json>([["bits", bits]]);
    if (range > 0) options.set("hash_range", range);
    const name = range > 0 ? "local-hashing" : "randomized-response";
    const oracle = innerMechanism(name, numberedCategories(size), epsilon, options, weights[i]!, `${where}, part ${i}`);
    starts.push(cells);
    cells += oracle.cells;
    return oracle;
  });
  return {
    cells,
    ratio: largest(ONE, ...oracles.map(({ certificate }) => certificate.ratio!)),
    respond(which, node, words) {
      if (ranges[which] === 0) words.next();
      const report = oracles[which]!.respondAt!(node, words) as number[];
      return starts[which]! + (ranges[which] === 0 ? report[0]! : report[0]! * ranges[which]! + report[1]!);
    },
    find(cell) {
      let which = starts.length - 1;
      while (starts[which]! > cell) which--;
      const range = ranges[which]!;
      const rest = cell - starts[which]!;
      return { which, range, hash: range === 0 ? 0 : Math.floor(rest / range), answer: range === 0 ? rest : rest % range };
    },
  };
}

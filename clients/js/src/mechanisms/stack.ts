import { numberedCategories } from "../categories.js";
import type { Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import { innerMechanism, type Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import type { Words } from "../words.js";

/** An oracle over numbered values, whose hash and answer are one number: of a level of a tree, or of a set of questions. */
export interface Oracle {
  readonly cells: number;
  readonly ratio: Fraction;
  /** The cell that is reported for a value: a word for the hash, one for the response. */
  respond(value: number, words: Words): number;
  /** The hash and the answer that a cell stands for; where there are no hashes the hash is missing. */
  find(cell: number): { hash?: number; answer: number };
}

/** The option `hash_ranges`: a number for each oracle. */
export function readRanges(options: Section, count: number): number[] {
  const ranges = options.list("hash_ranges");
  const right = ranges.length === count && ranges.every((range) => typeof range === "number" && range >= 0);
  return right ? (ranges as number[]) : options.refuse("hash_ranges", `a number of at least 0 for each of ${count}`);
}

/** Local hashing over so many values, or where the range is 0 randomized response. */
export function readOracle({ epsilon, where }: Source, bits: number, size: number, range: number, weights: Json, i: number): Oracle {
  const options = new Map<string, Json>([["bits", bits]]);
  if (range > 0) options.set("hash_range", range);
  const name = range > 0 ? "local-hashing" : "randomized-response";
  const oracle = innerMechanism(name, numberedCategories(size), epsilon, options, weights, `${where}, part ${i}`);
  return {
    cells: oracle.cells,
    ratio: oracle.certificate.ratio!,
    respond(value, words) {
      if (range === 0) words.next();
      const [first, second] = oracle.respondAt!(value, words) as number[];
      return range === 0 ? first! : first! * range + second!;
    },
    find: (cell) => (range === 0 ? { answer: cell } : { hash: Math.floor(cell / range), answer: cell % range }),
  };
}

/** Where the cells of each begin, and where the last ones end. */
export function startsOf(parts: readonly { readonly cells: number }[]): number[] {
  const starts = [0];
  for (const { cells } of parts) starts.push(starts[starts.length - 1]! + cells);
  return starts;
}

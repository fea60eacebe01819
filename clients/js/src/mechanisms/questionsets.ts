import { ratioCertificate } from "../certificate.js";
import { labelOf } from "../domain.js";
import { numberField } from "../fields.js";
import { largest, ONE, product, type Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import { MOST_INPUTS } from "../limits.js";
import type { Parts, Source } from "../mechanism.js";
import { list, demand, refuse } from "../reading.js";
import type { Question } from "../record.js";
import { belowNumber, type Words } from "../words.js";
import { partOf, readBits, readOptions, requireWeights } from "./common.js";
import { readResponse } from "./response.js";
import { readOracle, readRanges, startsOf, type Oracle } from "./stack.js";

/** What randomizes the answers to one set of questions. */
interface Part {
  readonly cells: number;
  readonly ratio: Fraction;
  respond(answers: readonly number[], words: Words): number;
  inWords(cell: number): string;
}

/** Answers to each question with `split`, at most. */
const MOST_APART = 512;
const DESIGNS = ["sample", "pairs", "mixed", "parities", "joint", "split"] as const;

/** Read `question-sets`: one set of the questions of a record, drawn whatever the answers are, and the answers to it as one value. */
export function readQuestionSets(source: Source): Parts {
  const { domain, where } = source;
  if (domain.kind !== "record") refuse(`${where}.domain`, "a record");
  const { questions } = domain;
  const options = readOptions(source, "bits", "design", "hash_ranges", "rates");
  const bits = readBits(options);
  const design = options.choice("design", DESIGNS);
  const every = questions.map((_, i) => i);
  const singles = every.map((i) => [i]);
  const pairs = every.flatMap((i) => every.slice(i + 1).map((j) => [i, j]));
  const both = [...singles, ...pairs];
  const sets = { sample: singles, pairs, mixed: both, parities: both, joint: [every], split: [every] }[design];
  const rates = options.list("rates") as number[];
  const right = rates.length === sets.length && rates.every((rate) => typeof rate === "number" && rate >= 1);
  const total = right ? rates.reduce((sum, rate) => sum + rate, 0) : 0;
  options.require(right && total <= 2 ** 32, "rates", `a whole number from 1 for each of ${sets.length} sets, 2^32 in all`);
  const count = design === "split" ? questions.length : sets.length;
  const weights = list(source.weights, `${where}.weights`);
  requireWeights(source, weights.length === count, `a list with weights for each of ${count}`);
  const ranges = readRanges(options, count);
  options.require(design !== "parities" || ranges.every((range) => range === 2), "hash_ranges", "2 with parities");
  const asked = sets.map((set) => set.map((i) => questions[i]!));
  demand(asked.every((set) => sizeOf(set) <= MOST_INPUTS), `${where}.domain`, "such that no set of questions has more than 2,500,000 cells");

  function part(set: readonly Question[], i: number): Part {
    if (design === "parities" && set.length === 2) return parities({ ...source, weights: weights[i]! }, bits, set);
    return together(set, readOracle(source, bits, sizeOf(set), ranges[i]!, weights[i]!, i));
  }
  const parts = design === "split" ? [apart(source, bits, questions, ranges, weights)] : asked.map(part);
  const starts = startsOf(parts);
  const cells = starts[parts.length]!;
  return {
    fields: [numberField("cell", cells)],
    cells,
    certificate: ratioCertificate(largest(ONE, ...parts.map(({ ratio }) => ratio))),
    respond(value, words) {
      const answers = domain.answers(value);
      let rest = belowNumber(total, words);
      const which = rates.findIndex((rate) => (rest -= rate) < 0);
      return [starts[which]! + parts[which]!.respond(sets[which]!.map((i) => answers[i]!), words)];
    },
    inWords(cell) {
      const which = starts.findIndex((start) => start > cell) - 1;
      return parts[which]!.inWords(cell - starts[which]!);
    },
  };
}

/** All answers to a set as one value. */
function together(set: readonly Question[], oracle: Oracle): Part {
  const sizes = set.map(({ domain }) => domain.size);
  return {
    cells: oracle.cells,
    ratio: oracle.ratio,
    respond: (answers, words) => oracle.respond(numberOf(answers, sizes), words),
    inWords(cell) {
      const { hash, answer } = oracle.find(cell);
      const said = hash === undefined ? digitsOf(answer, sizes).map((digit, i) => labelOf(set[i]!.domain, digit)).join(" and ") : `cell ${answer} of hash number ${hash}`;
      return `${about(set)}: ${said}`;
    },
  };
}

/** A parity of two answers, by randomized response on two values. */
function parities(source: Source, bits: number, set: readonly Question[]): Part {
  const [first, second] = set.map(({ domain }) => orderAbove(domain.size) - 1) as [number, number];
  const { ratio, respond } = readResponse(source, 2, bits);
  return {
    cells: 2 * first * second,
    ratio,
    respond([a, b], words) {
      const drawn = belowNumber(first * second, words);
      let ones = ((1 + Math.floor(drawn / second)) & a!) ^ ((1 + (drawn % second)) & b!);
      let parity = 0;
      for (; ones > 0; ones >>>= 1) parity ^= ones & 1;
      return 2 * drawn + respond(parity, words);
    },
    inWords: (cell) => `${about(set)}: parity number ${Math.floor(cell / 2)} is ${cell % 2 === 0 ? "even" : "odd"}`,
  };
}

/** The least power of two that is at least a size. */
function orderAbove(size: number): number {
  let order = 1;
  while (order < size) order *= 2;
  return order;
}

/** Every answer by an oracle of its own, with a part of epsilon. */
function apart(source: Source, bits: number, questions: readonly Question[], ranges: readonly number[], weights: readonly Json[]): Part {
  const { epsilon, where } = source;
  demand(questions.every(({ domain }) => domain.size <= MOST_APART), `${where}.domain`, `of at most ${MOST_APART} answers to each question`);
  demand(partOf(epsilon, questions.length).value >= 0.000001, `${where}.epsilon`, "at least 0.000001 for every question");
  const oracles = questions.map((one, i) => together([one], readOracle(source, bits, one.domain.size, ranges[i]!, weights[i]!, i)));
  const widths = oracles.map(({ cells }) => cells);
  return {
    cells: widths.reduce((cells, width) => cells * width, 1),
    ratio: oracles.map(({ ratio }) => ratio).reduce(product),
    respond: (answers, words) => numberOf(answers.map((answer, i) => oracles[i]!.respond([answer], words)), widths),
    inWords: (cell) => digitsOf(cell, widths).map((digit, i) => oracles[i]!.inWords(digit)).join("; "),
  };
}

function about(set: readonly Question[]): string {
  return `about ${set.map(({ name }) => `"${name}"`).join(" and ")}`;
}

function sizeOf(set: readonly Question[]): number {
  return set.reduce((size, { domain }) => size * domain.size, 1);
}

/** The number of a combination, the last digit varying fastest. */
function numberOf(digits: readonly number[], sizes: readonly number[]): number {
  return digits.reduce((number, digit, i) => number * sizes[i]! + digit, 0);
}

/** The combination of a number. */
function digitsOf(number: number, sizes: readonly number[]): number[] {
  let rest = number;
  return sizes.slice().reverse().map((size) => {
    const digit = rest % size;
    rest = Math.floor(rest / size);
    return digit;
  }).reverse();
}

import { fraction, largest, ONE, type Fraction } from "../fraction.js";
import { inputOf, type SingleDomain } from "../domain.js";
import { logAbove } from "../exponential.js";
import type { Field } from "../fields.js";
import type { JsonObject } from "../json.js";
import { innerMechanism, type Mechanism, type Memory, type Parts, type Source } from "../mechanism.js";
import { demand, Section, weightsNamed } from "../reading.js";
import { belowNumber } from "../words.js";
import { forOneValue, readOptions } from "./common.js";
import { readResponse } from "./response.js";
import { drawBits, limitOf } from "./unary.js";

/** Bits of a memo up to which it is not a fingerprint of its device. */
const MOST_BITS = 20;
const UNARY = "unary-encoding";
const INNER = ["randomized-response", "local-hashing", "square-wave", UNARY] as const;

/** Both rounds in integers: what is kept, and how it is reported. */
interface Rounds extends Pick<Memory, "remember"> {
  /** The worst ratio of one report, and of round 2 alone: that of one bit, where there are several. */
  readonly ratio: Fraction;
  readonly fromMemo: Fraction;
  /** Weights of the mechanism that draws as both rounds do. */
  readonly composed: Readonly<Record<string, bigint>>;
  tell(memo: number | Uint8Array, words: Parameters<Memory["remember"]>[1]): number | Uint8Array;
}

/** What the two rounds are made from: round 1 as a mechanism, with the sources of the weights of both. */
interface Given {
  readonly first: Mechanism;
  readonly permanent: Source;
  readonly fresh: Source;
  readonly bits: number;
}

/** Read `memoized`: a permanent answer that a device keeps, and a fresh one over it in every window. */
export function readMemoized(source: Source): Parts {
  const { domain, epsilon, where } = source;
  const options = readOptions(source, "half", "inner", "lifetime", "linkable");
  const lifetime = options.decimal("lifetime");
  options.require(lifetime.value > epsilon.value, "lifetime", "above epsilon");
  const inner = new Section(options.get("inner"), ["mechanism", "options"], `${options.where}.inner`);
  const name = inner.choice("mechanism", INNER);
  const unary = name === UNARY;
  const linkable = options.flag("linkable");
  options.require(linkable || !unary || domain.size <= MOST_BITS, "linkable", `true with more than ${MOST_BITS} values: so many bits identify a device`);
  options.require(!options.flag("half") || unary, "half", "false, unless inner is unary-encoding");
  const weights = new Section(source.weights, ["fresh", "permanent"], `${where}.weights`);
  const first = innerMechanism(name, domain, lifetime, inner.get("options"), weights.get("permanent"), inner.where);
  const partOf = (key: string): Source => ({ ...source, weights: weights.get(key), where: `${weights.where}.${key}` });
  const given = { first, permanent: partOf("permanent"), fresh: partOf("fresh"), bits: (inner.get("options") as JsonObject).get("bits") as number };
  const { ratio, fromMemo, composed, remember, tell } = (unary ? bitRounds : outputRounds)(given);
  const texts = new Map(Object.entries(composed).map(([key, number]) => [key, String(number)]));
  const { fields, cells, steps = 1, family } = innerMechanism(name, domain, epsilon, inner.get("options"), texts, inner.where);
  const single = domain as SingleDomain; // the inner mechanism has refused any other
  const memory: Memory = {
    lifetime, family, remember,
    ratio: first.certificate.ratio!,
    position: (value) => inputOf(single, value, steps),
    hash: (words) => (family === undefined ? 0 : belowNumber(family.hashes, words)),
    entry: (hash, position) => family?.cell(hash, position) ?? position,
    report: (hash, memo, words) => (family === undefined ? [tell(memo, words)] : [hash, tell(memo, words)]),
    cost(answers, windows = 1) {
      if (answers === 1) return lifetime.value;
      const each = logAbove(fromMemo, unary ? domain.size : 1);
      const blocks = Math.min(answers, windows);
      const moved = blocks * lifetime.value + (windows - Math.ceil(windows / blocks)) * each;
      return Math.min(moved, windows * each) * (1 + 2 ** -50);
    },
  };
  return {
    ...forOneValue(single, {
      fields, cells, steps, ratio,
      respondAt(position, words) {
        const hash = memory.hash(words);
        return memory.report(hash, remember(memory.entry(hash, position), words), words);
      },
    }),
    memory,
  };
}

/** A table of two levels, `base` and `base + more` for `span` outputs: the memo is sent with weight `keep`, else any output with `other` each. */
function outputRounds({ first, permanent, fresh, bits }: Given): Rounds {
  const wave = first.name === "square-wave";
  const { base, more, span } = levels(wave, permanent);
  const outputs = (first.fields[first.fields.length - 1] as Field & { readonly below: bigint }).below;
  const second = readResponse(fresh, Number(outputs), bits);
  const { keep, other } = second;
  const sum = outputs * base + span * more;
  const chance = (weight: bigint): bigint => keep * weight + other * sum; // over 2^bits times the sum
  const least = ceil(chance(base), sum);
  const { family } = first;
  const ofCell = family && readResponse(permanent, Number(outputs), bits);
  return {
    ratio: fraction(chance(base + more), chance(base)),
    fromMemo: other === 0n ? ONE : fraction(keep + other, other),
    composed: wave ? { low: least, unit: (keep * more) / sum, width: span } : { keep: (1n << BigInt(bits)) - outputs * least, other: least },
    remember: (entry, words) => ofCell?.respond(entry, words) ?? (first.respondAt!(entry, words)[0] as number),
    tell: (memo, words) => second.respond(memo as number, words),
  };
}

function levels(wave: boolean, { weights, where }: Source): Record<"base" | "more" | "span", bigint> {
  if (wave) {
    const { low, unit, width } = weightsNamed(weights, ["low", "unit", "width"], where);
    return { base: low, more: unit, span: width };
  }
  const { keep, other } = weightsNamed(weights, ["keep", "other"], where);
  return { base: other, more: keep, span: 1n };
}

/** A bit for each value: a one stays with weight `stay`, a zero rises with weight `rise`. */
function bitRounds({ first, permanent, fresh, bits }: Given): Rounds {
  const { own, other } = weightsNamed(permanent.weights, ["own", "other"], permanent.where);
  const { stay, rise } = weightsNamed(fresh.weights, ["stay", "rise"], fresh.where);
  const total = 1n << BigInt(bits);
  demand(0n < rise && rise < stay && stay < total, fresh.where, "such that 0 < rise < stay < 2^bits");
  const chance = (weight: bigint): bigint => weight * stay + (total - weight) * rise; // over 2^bits squared
  const [mine, any, square] = [chance(own), chance(other), total * total];
  const limits = [limitOf(rise, bits), limitOf(stay, bits)] as const;
  return {
    ratio: fraction(mine * (square - any), any * (square - mine)),
    fromMemo: largest(fraction(stay, rise), fraction(total - rise, total - stay)),
    composed: { own: mine / total, other: ceil(any, total) },
    remember: (entry, words) => first.respondAt!(entry, words)[0] as Uint8Array,
    tell: (memo, words) => drawBits(first.domain.size, (v) => limits[((memo as Uint8Array)[v >> 3]! >> (v & 7)) & 1]!, words),
  };
}

function ceil(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

import { bitsField, rowField, type Field, type Report } from "../fields.js";
import { fraction, largest, ONE, type Fraction } from "../fraction.js";
import { MOST_TOTAL } from "../limits.js";
import { demand } from "../reading.js";
import { below, belowNumber, wordBytes, type Words } from "../words.js";
import type { Numbers } from "./keynumbers.js";
import type { KeyScheme, Slot } from "./keyvalue.js";
import { makeUnary, putBit } from "./unary.js";

/** Unary keys: every key is set or not, and one that is set has a number. */
export function unaryKeys(
  keys: number, pairs: number | null, numbers: Numbers, weights: Record<string, bigint>, bits: number, where: string,
): KeyScheme {
  const own = weights["own"]!;
  const other = weights["other"]!;
  const unary = makeUnary(own, other, bits, where);
  const total = BigInt(numbers.outputs) * numbers.low + numbers.added;
  demand(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");

  function respond(slot: Slot, words: Words): Report {
    const mine = unary.own(words);
    const set = unary.others(keys, words);
    const isSet = (key: number): boolean => ((set[key >> 3]! >> (key & 7)) & 1) === 1;
    const made = numbers.rounding ? wordBytes(Math.ceil(keys / 64), words).subarray(0, set.length) : new Array<number>(keys).fill(0);
    if (!numbers.rounding) {
      for (let key = 0; key < keys; key++) if (isSet(key)) made[key] = numbers.cell(belowNumber(numbers.outputs, words));
    }
    const z = below(total, words);
    if (slot !== null) {
      const output = z < numbers.added ? numbers.near(slot.position, z) : Number((z - numbers.added) / numbers.low);
      putBit(set, slot.key, mine);
      if (made instanceof Uint8Array) putBit(made, slot.key, output === 1);
      else made[slot.key] = numbers.cell(output);
    }
    if (made instanceof Uint8Array) return [set, made.map((byte, i) => byte & set[i]!)];
    return [made.map((cell, key) => (isSet(key) ? cell + 1 : 0))];
  }

  const fields: Field[] = numbers.rounding
    ? [bitsField("set", keys), bitsField("high", keys)]
    : [rowField("cell", keys, numbers.outputBins + 1)];
  const ratio = worstRatio(BigInt(keys), BigInt(pairs ?? 1), numbers, own, other, 1n << BigInt(bits), total);
  return { fields, cells: keys * (numbers.outputBins + 1), blocks: keys, ratio, respond };
}

/** The worst ratio over all pairs of sets, at the corners of what their sizes can be. */
function worstRatio(K: bigint, l: bigint, numbers: Numbers, own: bigint, other: bigint, T: bigint, N: bigint): Fraction {
  const O = BigInt(numbers.outputs);
  const M = own * O * (numbers.low + numbers.top) * (T - other);
  const m = own * O * numbers.low * (T - other);
  const U = (T - own) * other * N;
  const I = (T - other) * other * N;
  const least = m < U ? m : U;
  const L = l < K ? l : K;
  const sizes = [1n, L, K - 1n, K - L].filter((size) => size >= 1n && size <= L);
  let worst = ONE;
  for (const [s, t] of sizes.flatMap((one) => sizes.map((other) => [one, other] as const))) {
    for (const n of [s > t ? s : t, s + t < K ? s + t : K]) {
      const p = n - t;
      const q = n - s;
      const c = s + t - n;
      for (const [x, y] of [[M, m], [U, U]] as const) {
        worst = largest(worst, fraction(p * M + c * x + (l - p - c) * I, q * least + c * y + (l - q - c) * I));
      }
    }
  }
  return worst;
}

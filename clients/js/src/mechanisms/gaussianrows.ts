import { decimalOf, exact, type Decimal } from "../decimal.js";
import { fraction, toNumber, type Fraction } from "../fraction.js";
import { normal, normalInverse } from "../normal.js";
import { demand } from "../reading.js";
import type { Noise } from "./noise.js";

/** What the errors of doubles are allowed to be. */
const U = 1e-12;

/** The delta of a vector of k numbers, in doubles with margins: the normal distribution is needed for it. */
export function rowDelta(
  noise: Noise, sums: readonly bigint[], bins: number, reach: number, k: number, epsilon: Decimal, where: string,
): Fraction {
  const n = noise.heights.length;
  const all = sums[2 * n - 1]! + sums[0]!;
  const size = BigInt(n);
  const loss = 2n * size * ((size * size + 4n * size + 3n) / 4n);

  // low(j) and high(j) for j below 0; those from 0 on are the mirror image.
  const lows = new Float64Array(n);
  const highs = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    lows[i] = normalInverse(toNumber(fraction(sums[i]!, all)));
    highs[i] = normalInverse(toNumber(fraction(sums[i]! + loss, all)));
  }
  const low = (j: number): number => (j < 0 ? lows[j + n]! : -highs[n - 1 - j]!);
  const high = (j: number): number => (j < 0 ? highs[j + n]! : -lows[n - 1 - j]!);
  let m = -Infinity;
  for (let j = -reach; j < n; j++) m = Math.max(m, high(j) - low(j - (bins - 1)));

  const a = (4 * k * n) / Number(noise.total);
  const D = (n * n + 4 * n) / 2 ** 66;
  const z = (m + U) * Math.sqrt(k) * (1 + U);
  const e = epsilon.value - a - k * D;
  const over = (1 + U) * normal(z / 2 - e / z) - (1 - U) * Math.exp(e) * normal(-z / 2 - e / z);
  const delta = Math.max(0, over) + a;
  demand(Number.isFinite(delta), `${where}.weights`, "such that delta can be computed");
  return exact(decimalOf(delta));
}

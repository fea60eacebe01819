import type { Certificate } from "../certificate.js";
import { exact, type Decimal } from "../decimal.js";
import { lowerExp, EXP_BITS } from "../exponential.js";
import { numberField, rowField } from "../fields.js";
import { exceeds, fraction, ONE, ZERO, type Fraction } from "../fraction.js";
import { isNumeric } from "../domain.js";
import type { Parts, Source } from "../mechanism.js";
import { refuse, demand } from "../reading.js";
import { forOneValue, readBits, readOptions, readWeights } from "./common.js";
import { rowDelta } from "./gaussianrows.js";
import { makeNoise, MOST_NOISE, oneCell, type Noise } from "./noise.js";

/** Read `gaussian`: noise on a bin, or on every coordinate of a vector. It keeps epsilon but for a chance, delta. */
export function readGaussian(source: Source): Parts {
  const { domain, where } = source;
  const vector = domain.kind === "vector" ? domain : undefined;
  const one = vector?.interval ?? (isNumeric(domain) ? domain : refuse(`${where}.domain`, "an interval, counts, ratings or a vector"));
  const options = readOptions(source, "bits", "delta", "reach");
  readBits(options);
  const allowed = options.decimal("delta");
  options.require(allowed.value >= 1e-12 && allowed.value <= 0.5, "delta", "from 1e-12 to 0.5");
  demand(one.bins <= MOST_NOISE, `${where}.domain`, "of at most 2^16 bins");
  const reach = options.whole("reach", 0, one.bins === 1 ? 0 : MOST_NOISE);
  const weights = readWeights(source, "center", "change", "ratio", "tail");
  const noise = makeNoise({ ...weights, least: 1n }, one.bins, reach, `${where}.weights`);
  const delta = deltaOf(noise, one.bins, reach, vector?.coordinates ?? 1, source.epsilon, where);
  demand(!exceeds(delta, exact(allowed)), `${where}.weights`, `such that delta is at most ${allowed.text}`);
  const certificate: Certificate = { ratio: one.bins === 1 ? ONE : null, delta, scope: "" };

  const below = one.bins + 2 * reach;
  if (vector === undefined) {
    return forOneValue(one, { fields: [numberField("cell", below)], cells: below, ratio: ONE, certificate, respondAt: oneCell(noise) });
  }
  return {
    fields: [rowField("cell", vector.coordinates, below)],
    cells: below * vector.coordinates,
    blocks: vector.coordinates,
    certificate,
    respond: (value, words) => [vector.row(value).map((number) => noise.respond(one.bin(number), words))],
  };
}

function deltaOf(noise: Noise, bins: number, reach: number, coordinates: number, epsilon: Decimal, where: string): Fraction {
  const n = noise.heights.length;
  if (bins === 1) return ZERO;
  if (n >= 2) {
    const q = noise.ratios[n - 2]!;
    const falls = (noise.tail << 64n) * ((1n << 128n) - q) <= noise.curve[n - 1]! * q;
    demand(falls, `${where}.weights`, "such that the noise falls steadily");
  }
  const sums = runningSums(noise);
  return coordinates === 1 ? numberDelta(noise, sums, bins, reach, epsilon) : rowDelta(noise, sums, bins, reach, coordinates, epsilon, where);
}

/** C(-n), ..., C(n-1): running sums of the tail, the curve downwards without its first, and the curve upwards. */
function runningSums({ tail, curve }: Noise): bigint[] {
  const sums = [tail << 64n];
  for (let k = curve.length - 1; k > 0; k--) sums.push(sums[sums.length - 1]! + curve[k]!);
  for (const g of curve) sums.push(sums[sums.length - 1]! + g);
  return sums;
}

/** The delta of one number, exactly, with the margins for rounding that its proof has. */
function numberDelta(noise: Noise, sums: readonly bigint[], bins: number, reach: number, epsilon: Decimal): Fraction {
  const n = noise.heights.length;
  const exp = lowerExp(epsilon);
  const e = exp >> (EXP_BITS - 64n);
  let worst = 0n;
  for (let j = -reach; j < n; j++) {
    const over = (sums[j + n]! << 64n) - e * sums[j - (bins - 1) + n]!;
    if (over > worst) worst = over;
  }
  // delta = (worst / 2^128 + 4 n + 2 n (1 + exp / 2^320) (n^2 + 4 n) / 2^66) / total, over 2^386
  const size = BigInt(n);
  const scale = 1n << (EXP_BITS + 66n);
  const margin = 4n * size * scale + 2n * size * ((1n << EXP_BITS) + exp) * (size * size + 4n * size);
  return fraction((worst << (EXP_BITS + 66n - 128n)) + margin, noise.total * scale);
}

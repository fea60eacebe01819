import { fingerprintOf } from "../canonical.js";
import { numberField } from "../fields.js";
import type { Parts, Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import { isPrime, primeFrom } from "../primes.js";
import { publicIndex } from "../publicwords.js";
import { belowNumber } from "../words.js";
import { categorical, readOptions } from "./common.js";
import { hashing } from "./response.js";

/** Read `local-hashing`: a random public hash of the linear family, then randomized response on its cell. */
export function readLocalHashing(source: Source): Parts {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "hash_range");
  const family = readFamily(source, options, d);
  const { g, hashes, cell } = family;
  const parts = hashing(source, domain, options, {
    hash: numberField("hash", hashes),
    g,
    cells: hashes * g,
    draw(value, words) {
      const hash = belowNumber(hashes, words);
      return [hash, cell(hash, value)];
    },
  });
  return { ...parts, family };
}

/** The option `hash_range`, and the hashes of that range over so many values, which the mechanism's fingerprint places. */
export function readFamily({ document }: Source, options: Section, d: number): { g: number; name: string; hashes: number; cell(hash: number, value: number): number } {
  const g = options.whole("hash_range", 2, primeFrom(d));
  options.require(isPrime(g), "hash_range", "a prime");
  const t = digitsFor(d, g);
  let key: string | undefined;
  const cell = (hash: number, value: number): number => {
    key ??= fingerprintOf(document);
    return linearCell(hash, point(value, g, t, key), g);
  };
  return { g, name: `${g}^${t}`, hashes: (g ** t - 1) / (g - 1), cell };
}

/** The least number t, at least 1, with g^t >= d. */
function digitsFor(d: number, g: number): number {
  let t = 1;
  while (g ** t < d) t++;
  return t;
}

/** The point of a value: places are scattered by the public words, without a table of them. */
function point(value: number, g: number, t: number, key: string): number {
  const a = g ** Math.floor(t / 2);
  const b = g ** (t - Math.floor(t / 2));
  let left = Math.floor(value / a);
  let right = value % a;
  for (let row = 0; row < 8; row += 2) {
    right = (right + publicIndex("places", key, row, left, a)) % a;
    left = (left + publicIndex("places", key, row + 1, right, b)) % b;
  }
  return left * a + right;
}

/** The cell of a point under hash number i: the i-th vector whose leading digit is 1, times the point, mod g. */
function linearCell(hash: number, place: number, g: number): number {
  let first = 0;
  let power = 1;
  while (hash >= first + power) {
    first += power;
    power *= g;
  }
  let vector = power + (hash - first);
  let rest = place;
  let sum = 0;
  while (vector > 0) {
    sum = (sum + (vector % g) * (rest % g)) % g;
    vector = Math.floor(vector / g);
    rest = Math.floor(rest / g);
  }
  return sum;
}

import type { Categories } from "../categories.js";
import { ratioCertificate, type Certificate } from "../certificate.js";
import { bitsField, numberField, packBits } from "../fields.js";
import { exceeds, fraction, type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import { demand, refuse } from "../reading.js";
import { belowNumber } from "../words.js";
import { readBits, readOptions, readWeights, requireWeights } from "./common.js";
import { readFamily } from "./localhashing.js";
import { readResponse } from "./response.js";
import { binaryDigits, chosen } from "./subset.js";

/** Sensitive values that are named one by one. */
const NAMED = 12;

/** The domain, its sensitive inputs, and the place of each input among them or among the others. */
interface Sensitive {
  readonly domain: Categories;
  readonly protectedOnes: readonly number[];
  place(input: number): { own: boolean; rank: number };
}

function sensitive({ domain, where }: Source, least: number): Sensitive {
  if (domain.kind !== "categories" || domain.sensitive === undefined) refuse(`${where}.domain`, "categories of which some are sensitive");
  const { sensitive: protectedOnes } = domain;
  demand(protectedOnes.length >= least, `${where}.domain`, `with at least ${least} sensitive values`);
  const ranks = new Map(protectedOnes.map((input, rank) => [input, rank]));
  return {
    domain,
    protectedOnes,
    place(input) {
      const rank = ranks.get(input);
      return rank === undefined ? { own: false, rank: input - protectedOnes.filter((one) => one < input).length } : { own: true, rank };
    },
  };
}

/** What the ratio is over, and what is not protected. */
function certified({ domain, protectedOnes }: Sensitive, ratio: Fraction): Certificate {
  const values = domain.document.get("values");
  const names = protectedOnes.slice(0, NAMED).map((input) => String(Array.isArray(values) ? values[input] : input));
  const [count, all, rest] = [protectedOnes.length, domain.size, protectedOnes.length - NAMED].map((number) => number.toLocaleString("en-US"));
  const named = names.join(", ") + (protectedOnes.length > NAMED ? ` and ${rest} more` : "");
  return { ...ratioCertificate(ratio), scope: "sensitive answer", protects: { count: `${count} of ${all} answers`, named } };
}

/** Read `sensitive-response`: the value itself, or any sensitive one. */
export function readSensitiveResponse(source: Source): Parts {
  const values = sensitive(source, 1);
  const { domain, protectedOnes } = values;
  const bits = readBits(readOptions(source, "bits"));
  const { keep, other } = readWeights(source, "keep", "other");
  requireWeights(source, keep >= 1n && other >= 1n && keep + BigInt(protectedOnes.length) * other === 1n << BigInt(bits), "such that keep + s other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    certificate: certified(values, fraction(keep + other, other)),
    respond(value, words) {
      const input = domain.input(value);
      const x = words.next() >> shift;
      return [x < keep ? input : protectedOnes[Number((x - keep) / other)]!];
    },
  };
}

/** Read `sensitive-hashing`: a cell of a hash over the sensitive values, or another value openly. */
export function readSensitiveHashing(source: Source): Parts {
  const values = sensitive(source, 2);
  const { domain, protectedOnes } = values;
  const options = readOptions(source, "bits", "hash_range");
  const { g, hashes, cell } = readFamily(source, options, protectedOnes.length);
  const { ratio, respond } = readResponse(source, g, readBits(options));
  const open = hashes * g;
  const cells = open + domain.size - protectedOnes.length;
  return {
    fields: [numberField("cell", cells)],
    cells,
    certificate: certified(values, ratio),
    respond(value, words) {
      const { own, rank } = values.place(domain.input(value));
      const hash = belowNumber(hashes, words);
      const hashed = cell(hash, own ? rank : 0); // of any value, where there is none to hide
      const answer = respond(own ? hashed : g, words);
      return [answer === g ? open + rank : hash * g + answer];
    },
  };
}

/** Read `sensitive-subsets`: a set of sensitive values, or another value openly. */
export function readSensitiveSubsets(source: Source): Parts {
  const values = sensitive(source, 2);
  const { domain, protectedOnes } = values;
  const s = protectedOnes.length;
  const options = readOptions(source, "bits", "subset_size");
  const bits = readBits(options);
  const k = options.whole("subset_size", 1, s - 1);
  const { open, own: inside, start } = readWeights(source, "open", "own", "start");
  const total = 1n << BigInt(bits);
  const filled = BigInt(k) * total < BigInt(s) * inside && inside < total && open > 0n && open < total && start < 16n;
  requireWeights(source, filled, "such that k 2^bits < s own, own < 2^bits, 0 < open < 2^bits and start < 16");
  const [size, taken, left] = [s, k, s - k].map(BigInt) as [bigint, bigint, bigint];
  const chances = [inside * size * left, (total - inside) * size * taken, (total - open) * taken * left].map((one) => fraction(one, 1n));
  const most = chances.reduce((a, b) => (exceeds(b, a) ? b : a));
  const least = chances.reduce((a, b) => (exceeds(a, b) ? b : a));
  const digits = binaryDigits(start);
  const shift = BigInt(64 - bits);
  return {
    fields: [numberField("open", domain.size - s + 1), bitsField("bits", s)],
    cells: 2 * domain.size,
    blocks: domain.size,
    certificate: certified(values, fraction(most.numerator, least.numerator)),
    respond(value, words) {
      const { own, rank } = values.place(domain.input(value));
      const x = words.next() >> shift;
      const among = belowNumber(s, words) < k;
      const set = chosen(own ? rank : 0, own ? x < inside : among, s, k, digits, words);
      const opened = !own && x < open;
      return [opened ? rank + 1 : 0, packBits(opened ? set.fill(0) : set)];
    },
  };
}

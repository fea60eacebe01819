import { ratioCertificate } from "../certificate.js";
import { numberField } from "../fields.js";
import { fraction, ONE, type Fraction } from "../fraction.js";
import type { Json } from "../json.js";
import type { Parts, Source } from "../mechanism.js";
import { require, weightsNamed } from "../reading.js";
import type { Words } from "../words.js";
import { byInput, categorical, readBits, readOptions } from "./common.js";

/** Randomized response over `size` cells: `keep + size * other = 2^bits`. */
export interface Response {
  readonly size: number;
  readonly ratio: Fraction;
  /** One word: the cell itself, or any cell. */
  respond(cell: number, words: Words): number;
}

/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export function readResponse(weights: Json | undefined, size: number, bits: number, where: string): Response {
  const { keep, other } = weightsNamed(weights, ["keep", "other"], `${where}.weights`);
  const total = 1n << BigInt(bits);
  const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
  require(least && keep + BigInt(size) * other === total, `${where}.weights`, "such that keep + size * other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    size,
    ratio: size === 1 ? ONE : fraction(keep + other, other),
    respond(cell, words) {
      const x = words.next() >> shift;
      return x < keep ? cell : Number((x - keep) / other);
    },
  };
}

/** Read `randomized-response`. */
export function readRandomizedResponse(source: Source): Parts {
  const domain = categorical(source);
  const options = readOptions(source, ["bits"]);
  const response = readResponse(source.weights, domain.size, readBits(options.get("bits"), source.where), source.where);
  return {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    blocks: 1,
    certificate: ratioCertificate(response.ratio),
    ...byInput(domain, (input, words) => [response.respond(input, words)]),
  };
}

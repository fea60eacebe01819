import type { SingleDomain } from "../domain.js";
import { numberField, type Field } from "../fields.js";
import { fraction, type Fraction } from "../fraction.js";
import type { Parts, Source } from "../mechanism.js";
import type { Section } from "../reading.js";
import type { Words } from "../words.js";
import { categorical, forOneValue, readBits, readOptions, readWeights, requireWeights } from "./common.js";

/** Randomized response over `size` cells: `keep + size * other = 2^bits`. */
export interface Response {
  readonly keep: bigint;
  readonly other: bigint;
  readonly ratio: Fraction;
  /** One word: the cell itself, or any cell. */
  respond(cell: number, words: Words): number;
}

/** Read the weights of randomized response over `size` cells, a part of several mechanisms. */
export function readResponse(source: Source, size: number, bits: number): Response {
  const { keep, other } = readWeights(source, "keep", "other");
  const total = 1n << BigInt(bits);
  const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
  requireWeights(source, least && keep + BigInt(size) * other === total, "such that keep + size * other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    keep, other,
    ratio: fraction(keep + other, other),
    respond(cell, words) {
      const x = words.next() >> shift;
      return x < keep ? cell : Number((x - keep) / other);
    },
  };
}

/** Parts of a mechanism that reports a hash, and by randomized response the cell of the value under it. */
interface Hashing extends Pick<Parts, "cells" | "blocks"> {
  readonly hash: Field;
  readonly g: number;
  /** A hash, and the cell of a value under it. */
  draw(value: number, words: Words): readonly [number | bigint, number];
}

/** Make such a mechanism; `options` have its `bits`. */
export function hashing(source: Source, domain: SingleDomain, options: Section, { hash, g, draw, ...parts }: Hashing): Parts {
  const { ratio, respond } = readResponse(source, g, readBits(options));
  return forOneValue(domain, {
    ...parts,
    fields: [hash, numberField("cell", g)],
    ratio,
    respondAt(value, words) {
      const [drawn, cell] = draw(value, words);
      return [drawn, respond(cell, words)];
    },
  });
}

/** Read `randomized-response`. */
export function readRandomizedResponse(source: Source): Parts {
  const domain = categorical(source);
  const { ratio, respond } = readResponse(source, domain.size, readBits(readOptions(source, "bits")));
  return forOneValue(domain, {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    ratio,
    respondAt: (input, words) => [respond(input, words)],
  });
}

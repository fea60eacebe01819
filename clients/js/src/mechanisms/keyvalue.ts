import { ratioCertificate } from "../certificate.js";
import type { Field, Report } from "../fields.js";
import type { Fraction } from "../fraction.js";
import type { Pair } from "../keyvalues.js";
import type { Parts, Source } from "../mechanism.js";
import { refuse } from "../reading.js";
import { belowNumber, type Words } from "../words.js";
import { readBits, readOptions } from "./common.js";
import { readNumbers } from "./keynumbers.js";
import { responseKeys } from "./keyresponse.js";
import { unaryKeys } from "./keyunary.js";

/** What a slot holds: the place of a key and the position of its number; null where there is no pair. */
export type Slot = { readonly key: number; readonly position: number } | null;

/** A way to randomize keys with their numbers. */
export interface KeyScheme {
  readonly fields: readonly Field[];
  readonly cells: number;
  readonly blocks: number;
  readonly ratio: Fraction;
  respond(slot: Slot, words: Words): Report;
}

/** Read `key-value`: the key is randomized; where it was kept the number is too, elsewhere one is made up. */
export function readKeyValue(source: Source): Parts {
  const { domain, where } = source;
  if (domain.kind !== "key-values") refuse(`${where}.domain`, "key-values");
  const options = readOptions(source, "bits", "keys", "numbers", "output_bins", "steps");
  const bits = readBits(options);
  const keys = options.choice("keys", ["unary", "response"]);
  const { steps, numbers, others } = readNumbers(source, domain.interval, options, keys === "unary" ? ["own", "other"] : []);
  const { ratio, respond: respondTo, ...parts } = keys === "unary"
    ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where)
    : responseKeys(domain.keys.size, domain.pairs, numbers, where);
  const { pairs, interval, pair, set } = domain;
  const place = ({ key, number }: Pair): Slot => ({ key, position: interval.position(number, steps) });

  function respond(value: unknown, words: Words): Report {
    if (pairs === null) return respondTo(place(pair(value)), words);
    const slots = set(value).map(place);
    const slot = belowNumber(Math.max(pairs, slots.length), words);
    return respondTo(slots[slot] ?? null, words);
  }

  return { ...parts, certificate: ratioCertificate(ratio), respond };
}

import { ratioCertificate } from "../certificate.js";
import type { Field, Report } from "../fields.js";
import type { Fraction } from "../fraction.js";
import type { KeyValues, Pair } from "../keyvalues.js";
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
  const scheme = keys === "unary"
    ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where)
    : responseKeys(domain.keys.size, domain.pairs, numbers, where);
  const held: KeyValues = domain;
  const { pairs, interval } = held;
  const place = (pair: Pair): Slot => ({ key: pair.key, position: interval.position(pair.number, steps) });

  function respond(value: unknown, words: Words): Report {
    if (pairs === null) return scheme.respond(place(held.pair(value)), words);
    const slots = held.set(value).map(place);
    const slot = belowNumber(Math.max(pairs, slots.length), words);
    return scheme.respond(slots[slot] ?? null, words);
  }

  return {
    fields: scheme.fields,
    cells: scheme.cells,
    blocks: scheme.blocks,
    certificate: ratioCertificate(scheme.ratio),
    respond,
  };
}

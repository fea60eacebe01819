import { fingerprint } from "../canonical.js";
import { ratioCertificate } from "../certificate.js";
import { numberField } from "../fields.js";
import { MOST_INPUTS } from "../limits.js";
import type { Parts, Source } from "../mechanism.js";
import { publicIndex } from "../publicwords.js";
import { whole } from "../reading.js";
import { belowNumber } from "../words.js";
import { byInput, categorical, readBits, readOptions } from "./common.js";
import { readResponse } from "./response.js";

/** Read `fixed-hashing`: one of K public hashes, then randomized response on its cell. */
export function readFixedHashing(source: Source): Parts {
  const domain = categorical(source);
  const d = domain.size;
  const where = `${source.where}.options`;
  const options = readOptions(source, ["bits", "hash_count", "hash_range"]);
  const bits = readBits(options.get("bits"), source.where);
  const count = whole(options.get("hash_count"), 1, Math.min(1_250_000, Math.floor(2 ** 24 / d)), `${where}.hash_count`);
  const g = whole(options.get("hash_range"), 2, Math.floor(MOST_INPUTS / count), `${where}.hash_range`);
  const response = readResponse(source.weights, g, bits, source.where);
  let key: string | undefined;
  return {
    fields: [numberField("hash", count), numberField("cell", g)],
    cells: count * g,
    blocks: 1,
    certificate: ratioCertificate(response.ratio, d === 1),
    ...byInput(domain, (value, words) => {
      const hash = belowNumber(count, words);
      key ??= fingerprint(source.document);
      const cell = publicIndex("hashes", key, hash, value, g);
      return [hash, response.respond(cell, words)];
    }),
  };
}

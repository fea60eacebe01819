import { fingerprintOf } from "../canonical.js";
import { numberField } from "../fields.js";
import { MOST_INPUTS } from "../limits.js";
import type { Parts, Source } from "../mechanism.js";
import { publicIndex } from "../publicwords.js";
import { belowNumber } from "../words.js";
import { categorical, readOptions } from "./common.js";
import { hashing } from "./response.js";

/** Read `fixed-hashing`: one of K public hashes, then randomized response on its cell. */
export function readFixedHashing(source: Source): Parts {
  const domain = categorical(source);
  const options = readOptions(source, "bits", "hash_count", "hash_range");
  const count = options.whole("hash_count", 1, Math.min(1_250_000, Math.floor(2 ** 24 / domain.size)));
  const g = options.whole("hash_range", 2, Math.floor(MOST_INPUTS / count));
  let key: string | undefined;
  return hashing(source, domain, options, {
    hash: numberField("hash", count),
    g,
    cells: count * g,
    draw(value, words) {
      const hash = belowNumber(count, words);
      key ??= fingerprintOf(source.document);
      return [hash, publicIndex("hashes", key, hash, value, g)];
    },
  });
}

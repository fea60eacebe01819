import { numberField } from "../fields.js";
import type { Parts, Source } from "../mechanism.js";
import { belowNumber } from "../words.js";
import { forOneValue, numeric, readBits, readOptions } from "./common.js";
import { bitLength, parity } from "./hadamard.js";
import { readResponse } from "./response.js";

/** Read `haar`: a device reports, for one drawn height, in which half of its node the value is. */
export function readHaar(source: Source): Parts {
  const domain = numeric(source);
  const response = readResponse(source, 2, readBits(readOptions(source, "bits")));
  const heights = bitLength(domain.bins - 1); // 2^heights is at least the number of bins
  const half = 2 ** (heights - 1);
  const cells = 2 * (2 ** heights - 1);
  return forOneValue(domain, {
    fields: [numberField("cell", cells)],
    cells,
    ratio: response.ratio,
    respondAt(bin, words) {
      const x = belowNumber(heights * half, words);
      const h = Math.floor(x / half);
      const column = (x % half) >> h;
      const sign = parity((bin >> (h + 1)) & column) ^ ((bin >> h) & 1);
      const answer = response.respond(sign, words);
      return [2 * (2 ** heights - 2 ** (heights - h) + column) + answer];
    },
  });
}

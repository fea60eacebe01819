import { numberField } from "../fields.js";
import type { Parts, Source } from "../mechanism.js";
import { refuse } from "../reading.js";
import { belowNumber } from "../words.js";
import { readInner, readOptions } from "./common.js";

/** Read `sampled-coordinate`: one coordinate, drawn whatever the vector is, by a mechanism for one number. */
export function readSampledCoordinate(source: Source): Parts {
  const { domain, where } = source;
  if (domain.kind !== "vector") refuse(`${where}.domain`, "a vector");
  const options = readOptions(source, "inner");
  const inner = readInner(source, options, "inner", domain.interval);
  options.require((inner.blocks ?? 1) === 1, "inner", "a mechanism whose reports fall in one cell");
  options.require(inner.certificate.scope === "", "inner", "a mechanism without a scope");
  const k = domain.coordinates;
  return {
    fields: [numberField("coordinate", k), ...inner.fields],
    cells: k * inner.cells,
    certificate: inner.certificate,
    respond(value, words) {
      const row = domain.row(value);
      const coordinate = belowNumber(k, words);
      return [coordinate, ...inner.respond(row[coordinate]!, words)];
    },
  };
}

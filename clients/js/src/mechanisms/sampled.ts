import { InvalidValue } from "../errors.js";
import { numberField } from "../fields.js";
import { innerMechanism, type Parts, type Source } from "../mechanism.js";
import { record, refuse, require, text } from "../reading.js";
import { belowNumber } from "../words.js";
import { readOptions } from "./common.js";

/** Read `sampled-coordinate`: one coordinate, drawn whatever the vector is, by a mechanism for one number. */
export function readSampledCoordinate(source: Source): Parts {
  const { domain, where } = source;
  if (domain.kind !== "vector") refuse(`${where}.domain`, "a vector");
  const inside = record(readOptions(source, ["inner"]).get("inner"), ["mechanism", "options"], `${where}.options.inner`);
  const name = text(inside.get("mechanism"), `${where}.options.inner.mechanism`);
  const inner = innerMechanism(name, domain.interval, source.epsilon, inside.get("options")!, source.weights, `${where}.options.inner`);
  require(inner.blocks === 1, `${where}.options.inner`, "a mechanism whose reports fall in one cell");
  require(inner.certificate.scope === "", `${where}.options.inner`, "a mechanism without a scope");
  const k = domain.coordinates;
  return {
    fields: [numberField("coordinate", k), ...inner.fields],
    cells: k * inner.cells,
    blocks: 1,
    steps: 0,
    certificate: inner.certificate,
    respond(value, words) {
      const row = domain.row(value);
      const coordinate = belowNumber(k, words);
      return [coordinate, ...inner.respond(row[coordinate]!, words)];
    },
    respondAt: () => {
      throw new InvalidValue("a vector has no single position");
    },
  };
}

import test from "node:test";
import { admit } from "../dist/admit.js";
import { readDomain } from "../dist/domain.js";
import { readJson } from "../dist/json.js";
import { same, Tally, vectors } from "./support.js";

/** The input and position of a value, as vectors have them. */
function place(domain, value, steps) {
  switch (domain.kind) {
    case "categories":
    case "may-decline":
      return [domain.input(value), null];
    case "interval":
    case "counts":
    case "ratings":
    case "dates":
      return [domain.bin(value), domain.position(value, steps)];
    case "choices":
      return [domain.items(value), null];
    case "record":
      return [domain.answers(value), null];
    case "vector": {
      const row = domain.row(value);
      return [row.map((x) => domain.interval.bin(x)), row.map((x) => domain.interval.position(x, steps))];
    }
    default: {
      const { interval } = domain;
      const held = domain.pairs === null ? [domain.pair(value)] : domain.set(value);
      const inputs = held.map(({ key, number }) => [key, interval.bin(number)]);
      const positions = held.map(({ number }) => interval.position(number, steps));
      return domain.pairs === null ? [inputs[0], positions[0]] : [inputs, positions];
    }
  }
}

test("values", () => {
  const tally = new Tally("values.json");
  vectors(tally.file).cases.forEach((one, i) => {
    const value = one.number === undefined ? one.value : Number(one.number);
    tally.check(`case ${i} (${JSON.stringify(one.value ?? one.number)})`, () => {
      const domain = readDomain(readJson(JSON.stringify(one.domain)));
      let found;
      try {
        found = place(domain, admit(domain, one.outside, value), one.steps);
      } catch (error) {
        return one.refused === true ? same(error.name, "InvalidValue", "error") : String(error);
      }
      if (one.refused === true) return "is taken";
      return same(JSON.stringify(found), JSON.stringify([one.input, one.position]), "input and position");
    });
  });
  tally.finish();
});

import test from "node:test";
import { Survey } from "../dist/index.js";
import { same, Tally, UNSUPPORTED, vectors } from "./support.js";

/** Surveys with cohorts or memory need what a device keeps between windows, which this client does not do. */
test("surveys with cohorts or memory are refused", () => {
  const tally = new Tally("cohorts and memory");
  const surveys = UNSUPPORTED.flatMap((file) => vectors(file).surveys.map(({ survey }) => survey));
  const repeated = ["taken", "refused"].flatMap((kind) => vectors(`repeated-${kind}.json`).cases.map(({ survey }) => survey));
  for (const text of [...surveys, ...repeated]) {
    tally.check(text.slice(0, 200), () => {
      try {
        Survey.parse(text, { maxDelta: "1" });
      } catch (error) {
        return same(error.name, "InvalidSurvey", "error");
      }
      return "is taken";
    });
  }
  tally.finish();
});

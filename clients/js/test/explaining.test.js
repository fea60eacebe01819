// A report in words: every byte of it, for every mechanism, and what a few of them say.
import assert from "node:assert/strict";
import test from "node:test";
import { Survey, toHex } from "../dist/index.js";
import { makeClient, makeSurvey, mechanismFiles, vectors } from "./device.js";

const WIDE = { maxEpsilon: 99, dayEpsilon: 99, nameEpsilon: 99, questionEpsilon: 99, totalEpsilon: 99, scopes: ["edge", "sensitive answer"] };

test("the parts are all bytes of the upload, for every mechanism", async () => {
  const said = new Map();
  for (const file of mechanismFiles()) {
    const pure = vectors(file).surveys.filter(({ certificate }) => certificate.delta === undefined);
    for (const { survey: text, cases } of pure.slice(0, 6)) {
      const client = makeClient(Survey.parse(text), WIDE);
      const receipt = await client.report(cases[0].value);
      const { parts, report, cost } = client.explain(receipt);
      assert.equal(parts.map(({ bytes }) => bytes).join(""), toHex(receipt.upload));
      assert.deepEqual(parts.slice(0, 6).map(({ name }) => name), ["version", "survey", "window", "reports", "id", "length"]);
      assert.match(report, /^The report says: .+\. It was drawn at random/s);
      assert.match(cost, file === "memoized.json"
        ? /^This survey costs epsilon [0-9.]+ for all reports, [0-9.]+ for one\. This report cost epsilon [0-9.]+\. All your reports together are at most /
        : /^It cost epsilon [0-9.]+\. (?:Any report is at most |Only these answers are protected: )/);
      for (const words of [report, cost, ...parts.map((part) => part.words)]) assert.doesNotMatch(words, /undefined|NaN|\[object/);
      said.set(file, report);
    }
  }
  assert.ok(said.size >= 20, String(said.size));
});

test("what a report says is what was drawn", async () => {
  for (let i = 0; i < 20; i++) {
    const [{ survey: text }] = vectors("randomized-response.json").surveys;
    const client = makeClient(Survey.parse(text));
    const receipt = await client.report("yes");
    const values = JSON.parse(text).mechanism.domain.values;
    assert.ok(client.explain(receipt).report.startsWith(`The report says: "${values[receipt.upload.at(-1)]}".`));
  }
});

test("a receipt of another survey is not explained", async () => {
  const receipt = await makeClient(makeSurvey()).report("yes");
  assert.throws(() => makeClient(makeSurvey({ name: "other" })).explain(receipt), { code: "mismatch" });
});

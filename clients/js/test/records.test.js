// Records of several questions: one record, one report; whatever is wrong with an answer, nothing is spent.
import assert from "node:assert/strict";
import test from "node:test";
import { InvalidValue, Survey, systemWords } from "../dist/index.js";
import { makeClient, vectors } from "./device.js";

/** Age, whether one smokes, stars, rooms, and names that look alike. */
const TEXTS = vectors("question-sets.json").surveys.map(({ survey }) => survey);
const KINDS = TEXTS.filter((text) => text.includes('"smokes"') && JSON.parse(text).mechanism.epsilon === "1");
const RIGHT = { age: 31, smokes: "yes", stars: -2, rooms: 0, "Què?": "other", rent: 2001, since: "2001-05-31", party: "Prefer not to say" };

test("one record is one report, which costs epsilon once", async () => {
  for (const text of KINDS) {
    const survey = Survey.parse(text);
    const client = makeClient(survey);
    const receipt = await client.report(RIGHT);
    assert.equal(await client.spent(), "1");
    assert.deepEqual(await client.report({ ...RIGHT, age: 90 }), receipt);
    assert.equal(await client.spent(), "1");
  }
});

test("a wrong record is refused before anything is drawn or spent, and the message names the question, not the answer", async () => {
  const { age, ...less } = RIGHT;
  const wrong = [
    [less, /question "age" must be answered/], [{ ...RIGHT, Age: 3 }, /no question "Age"; there are age, smokes/],
    [{ ...RIGHT, age: 121 }, /answer to "age": .* number from 0 to 120/], [{ ...RIGHT, age: "31" }, /answer to "age"/],
    [{ ...RIGHT, smokes: "maybe" }, /answer to "smokes"/], [{ ...RIGHT, smokes: true }, /answer to "smokes"/],
    [{ ...RIGHT, stars: 2.5 }, /answer to "stars": .* whole number from -2 to 2/], [{ ...RIGHT, rooms: undefined }, /answer to "rooms"/],
    [{ ...RIGHT, rent: -1 }, /answer to "rent": .* finite number of at least 0/], [{ ...RIGHT, rent: Infinity }, /answer to "rent"/],
    [{ ...RIGHT, since: "2003-01-02" }, /answer to "since": .* date from 1999-12-31 to 2003-01-01/], [{ ...RIGHT, since: new Date() }, /answer to "since"/],
    [{ ...RIGHT, toString: 1 }, /no question "toString"/], [JSON.parse('{"__proto__":1}'), /no question "__proto__"/],
    ...[undefined, null, 31, "age", [], [["age", 31]], Object.values(RIGHT)].map((value) => [value, /an object with an answer to each question/]),
    [{}, /question "age" must be answered/], [Object.create(RIGHT), /question "age" must be answered/],
  ];
  for (const text of KINDS) {
    const survey = Survey.parse(text);
    const client = makeClient(survey);
    const words = { next: () => assert.fail("a word was drawn") };
    for (const [value, message] of wrong) {
      const right = (error) => error instanceof InvalidValue && message.test(error.message) && !/121|maybe|2003-01-02/.test(error.message);
      await assert.rejects(client.report(value), right, JSON.stringify(value));
      assert.throws(() => survey.randomize(value, words), right, JSON.stringify(value));
    }
    assert.equal(await client.spent(), "0");
    assert.deepEqual(await client.receipts(), []);
  }
});

test("what a report says names the questions that were drawn", async () => {
  const questions = Object.keys(RIGHT);
  for (const text of KINDS) {
    const { design } = JSON.parse(text).mechanism.options;
    const seen = new Set();
    for (let i = 0; i < 200; i++) {
      const client = makeClient(Survey.parse(text));
      const { report } = client.explain(await client.report(RIGHT));
      const [, about] = /^The report says: about ((?:"[^"]*"(?: and )?)+): .*\. It was drawn at random/s.exec(report);
      const named = about.split(" and ").map((name) => JSON.parse(name));
      assert.ok(named.every((name) => questions.includes(name)), report);
      assert.equal(named.length, design === "sample" ? 1 : 2);
      named.forEach((name) => seen.add(name));
    }
    assert.equal(seen.size, questions.length); // 200 draws of one in eight miss one with a chance of 2e-11
  }
});

test("a survey of thirty questions is read and answered at once, whatever its number of records", () => {
  const text = TEXTS.find((one) => one.includes('"q29"'));
  const survey = Survey.parse(text);
  assert.ok(survey.mechanism.domain.size > 1e41);
  const value = Object.fromEntries(survey.mechanism.domain.questions.map(({ name }) => [name, 7]));
  assert.equal(survey.randomize(value, systemWords()).length, survey.payloadBytes);
});

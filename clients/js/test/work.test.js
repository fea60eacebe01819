// How much work costly surveys are, counted and not timed: a report hashes as much for a million values as for a thousand.
import assert from "node:assert/strict";
import test from "node:test";
import { InvalidSurvey, InvalidValue, Survey, systemWords } from "../dist/index.js";
import { categories, COSTLY, hashing, names } from "./costly.js";

/** The bytes of every message that is hashed while something is done; every message is UTF-8 of a text. */
function hashed(t, work) {
  const encode = t.mock.method(TextEncoder.prototype, "encode");
  work();
  const lengths = encode.mock.calls.map(({ result }) => result.length);
  encode.mock.restore();
  return lengths;
}

test("local hashing hashes eight short messages per report, and the document once", (t) => {
  for (const [domain, value] of [[categories(1000), 777], [categories(1_000_000), 777_777], [categories(100_000, names(100_000)), "rs"]]) {
    const text = hashing(domain);
    const survey = Survey.parse(text);
    const first = hashed(t, () => survey.randomize(value, systemWords()));
    const second = hashed(t, () => survey.randomize(value, systemWords()));
    assert.deepEqual([first.length, second.length], [9, 8]);
    assert.ok(Math.max(...second) < 80, "a public word is of a short message");
    assert.ok(first[0] < text.length, "the document's fingerprint is computed once");
  }
});

test("costly surveys draw as few words as others of their kind", () => {
  const drawn = ([text, value]) => {
    const words = systemWords();
    let count = 0;
    Survey.parse(text).randomize(value, { next: () => (count++, words.next()) });
    return count;
  };
  assert.equal(drawn(COSTLY["a table of 1,000,000 weights"]()), 1);
  assert.equal(drawn(COSTLY["local hashing, 1,000,000 numbered values"]()), 2); // a third with probability 4e-14
  assert.throws(() => Survey.parse(COSTLY["names of one letter, 16 lists deep"]()[0]), InvalidSurvey);
});

test("whole numbers in a list of values are looked up by text", (t) => {
  // V8 hashes numbers without a secret: 250,000 that were chosen to collide would take minutes to read.
  const text = hashing(categories(3, [1, "1", 9007199254740991]));
  const set = t.mock.method(Map.prototype, "set");
  const survey = Survey.parse(text);
  set.mock.restore();
  assert.ok(set.mock.calls.length > 20);
  for (const { arguments: [key] } of set.mock.calls) assert.equal(typeof key, "string");
  for (const value of [1, "1", 9007199254740991]) survey.check(value);
  for (const value of ["\u00001", "9007199254740991", 1n, true, 2, -1, 1.5, NaN, null, undefined]) {
    assert.throws(() => survey.check(value), InvalidValue, String(value));
  }
});

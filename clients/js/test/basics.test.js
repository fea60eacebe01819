// What vectors do not reach: hashes of every length, the system's randomness, the form of the source.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import test from "node:test";
import { InvalidValue, newId, NoRandomness, Survey, systemWords, toHex, writeUpload } from "../dist/index.js";
import { sha256 } from "../dist/sha256.js";
import { shake256 } from "../dist/shake256.js";
import { below } from "../dist/words.js";
import { vectors } from "./support.js";

test("SHA-256 and SHAKE-256 agree with those of Node", () => {
  for (let length = 0; length < 300; length++) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    assert.equal(toHex(sha256(message)), createHash("sha256").update(message).digest("hex"));
    const wanted = createHash("shake256", { outputLength: length + 1 }).update(message).digest("hex");
    assert.equal(toHex(shake256(message, length + 1)), wanted);
  }
});

test("the system's words, and where there are none", (t) => {
  const words = systemWords();
  const drawn = new Set(Array.from({ length: 500 }, () => words.next()));
  assert.equal(drawn.size, 500);
  for (const word of drawn) assert.ok(word >= 0n && word < 1n << 64n);
  assert.equal(newId().length, 16);
  for (const size of [1n, 2n, 3n, 10n, 1n << 63n, (1n << 63n) - 1n]) assert.ok(below(size, words) < size);

  const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  t.after(() => Object.defineProperty(globalThis, "crypto", kept));
  const replaced = (value) => Object.defineProperty(globalThis, "crypto", { value, configurable: true, writable: true });
  for (const missing of [undefined, {}]) {
    replaced(missing);
    assert.throws(() => systemWords(), NoRandomness);
    assert.throws(() => newId(), NoRandomness);
  }
  replaced({ getRandomValues: (array) => array }); // as stand-ins of test frameworks and phones do
  assert.throws(() => systemWords().next(), NoRandomness);
  assert.throws(() => newId(), NoRandomness);
});

test("a value that is refused draws no word", () => {
  const never = { next: () => assert.fail("a word was drawn") };
  for (const { survey, why } of vectors("surveys-taken.json").cases.filter((one) => one.why.startsWith("plain"))) {
    const read = Survey.parse(survey, { maxDelta: "1" });
    for (const value of [undefined, Symbol("x"), {}, NaN, [[]], () => 1, -1e9]) {
      assert.throws(() => read.randomize(value, never), InvalidValue, why);
    }
  }
});

test("an upload is refused that its format cannot hold", () => {
  const report = { id: new Uint8Array(16), payload: Uint8Array.of(7) };
  const written = (more) => writeUpload({ fingerprint: "0".repeat(32), window: "2026", reports: [report], ...more });
  const payload = (length) => [{ ...report, payload: new Uint8Array(length) }];
  const some = written({}).length;
  for (const [more, length] of [
    [{ window: "é".repeat(15) + "x" }, some + 27], [{ reports: Array(65_535).fill(report) }, some + 65_534 * 22 + 2], [{ reports: payload(65_535) }, some + 65_535],
  ]) assert.equal(written(more).length, length);
  const part = (more, start, end) => toHex(written(more).subarray(start, end)); // after the version, the fingerprint and the window
  for (const [count, head] of [[1, "9192"], [15, "9f92"], [16, "dc0010"], [257, "dc0101"], [65_535, "dcffff"]]) {
    assert.equal(part({ reports: Array(count).fill(report) }, 25, 25 + head.length / 2), head);
  }
  for (const [length, head] of [[0, "c400"], [255, "c4ff"], [256, "c50100"], [257, "c50101"], [65_535, "c5ffff"]]) {
    assert.equal(part({ reports: payload(length) }, 45, 45 + head.length / 2), head);
  }
  for (const more of [
    { window: "é".repeat(16) }, { reports: [] }, { reports: Array(65_536).fill(report) }, { reports: payload(65_536) },
    { fingerprint: "0".repeat(31) }, { fingerprint: "G".repeat(32) }, { reports: [{ ...report, id: new Uint8Array(15) }] },
  ]) assert.throws(() => written(more), { code: "invalid-argument" });
});

test("a survey written again is the same", () => {
  for (const { survey } of vectors("surveys-taken.json").cases.filter((one) => one.why.startsWith("plain"))) {
    assert.equal(Survey.parse(survey, { maxDelta: "1" }).toJson(), survey);
  }
});

test("the source has nothing that a strict page or an old browser refuses", () => {
  const root = new URL("../src/", import.meta.url);
  for (const file of fs.readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".ts"))) {
    const text = fs.readFileSync(new URL(file, root), "utf8");
    assert.doesNotMatch(text, /\(\?<[=!]|\beval\b|innerHTML|Function\(|Math\.random|document\.write/, file);
  }
});

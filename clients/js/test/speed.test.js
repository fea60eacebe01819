// The cost of a first report does not grow with the number of numbered values: no table of them is made.
import assert from "node:assert/strict";
import test from "node:test";
import { Survey, systemWords } from "../dist/index.js";

const TOTAL = 1n << 62n;
const OTHER = 977407917986435604n;

function survey(mechanism) {
  return JSON.stringify({
    survey: 2, name: "speed", question: "Which?", window: "once", minimum_batch: 100, outside: "refuse", opens: "", closes: "", series: "",
    mechanism: { version: 2, epsilon: "1", ...mechanism },
  });
}

/** Milliseconds of processor time of this process: a busy machine does not change them. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function timed(name, text, value, most) {
  const words = systemWords();
  const start = now();
  const read = Survey.parse(text, { maxDelta: "1" });
  const parsed = now();
  read.randomize(value, words);
  const first = now();
  read.randomize(value, words);
  const second = now();
  const ms = (a, b) => (b - a).toFixed(1);
  console.log(`${name}: parse ${ms(start, parsed)} ms, first report ${ms(parsed, first)} ms, second ${ms(first, second)} ms`);
  assert.ok(first - start < most, name);
}

const hashing = {
  mechanism: "local-hashing",
  options: { bits: 62, hash_range: 3 },
  weights: { keep: String(TOTAL - 3n * OTHER), other: String(OTHER) },
};

test("local hashing over a million numbered values", () => {
  const domain = { kind: "categories", version: 1, size: 1_000_000, values: null };
  // 3^13 >= 10^6 has 797,161 hashes of 3 cells, within the limit of 2,500,000.
  timed("a million numbered values", survey({ domain, ...hashing }), 777_777, 1000);
});

test("local hashing over as many named values as 4 MiB hold", () => {
  const values = Array.from({ length: 500_000 }, (_, i) => i.toString(36));
  const domain = { kind: "categories", version: 1, size: values.length, values };
  timed("500,000 named values", survey({ domain, ...hashing }), values[12345], 3000);
});

test("the costliest other mechanisms", () => {
  const million = { kind: "categories", version: 1, size: 262_144, values: null };
  timed("unary encoding of 262,144 values", survey({
    domain: million, mechanism: "unary-encoding", options: { bits: 62, variant: "optimized" },
    weights: { own: String(TOTAL / 2n), other: "1240273392707995214" },
  }), 5, 2000);
  const counts = { kind: "counts", version: 1, most: 65_535 };
  timed("laplace over 65,536 counts", survey({
    domain: counts, mechanism: "laplace", options: { bits: 62 },
    weights: { center: "20000000000000", ratio: String((1n << 128n) - (1n << 112n)), tail: "900000000000000000" },
  }), 5, 2000);
});

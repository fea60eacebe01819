// Surveys that cost a device most to read or to answer, for tests of work and for `benchmarks/javascript.py`.
const TOTAL = 1n << 62n;
const OTHER = 977407917986435604n;

export function survey(mechanism) {
  return JSON.stringify({
    survey: 2, name: "costly", question: "Which?", window: "once", minimum_batch: 100, outside: "refuse", opens: "", closes: "", series: "",
    mechanism: { version: 2, epsilon: "1", ...mechanism },
  });
}

export function categories(size, values = null) {
  return { kind: "categories", version: 1, size, values };
}

export function hashing(domain) {
  const weights = { keep: String(TOTAL - 3n * OTHER), other: String(OTHER) };
  return survey({ domain, mechanism: "local-hashing", options: { bits: 62, hash_range: 3 }, weights });
}

/** As many names as 4 MiB hold, or so. */
export function names(count = 500_000) {
  return Array.from({ length: count }, (_, i) => i.toString(36));
}

function table(columns) {
  const row = Array(columns).fill("1");
  return survey({ domain: categories(2), mechanism: "table", options: {}, weights: [row, row] });
}

function noise(bins) {
  return {
    domain: { kind: "counts", version: 1, most: bins - 1 }, options: { bits: 62 },
    weights: { center: "20000000000000", ratio: String((1n << 128n) - (1n << 112n)), tail: "900000000000000000" },
  };
}

function subset(size, start) {
  const weights = { own: String(TOTAL / 2n), start: String(start) };
  return survey({ domain: categories(size), mechanism: "subset-selection", options: { bits: 62, subset_size: 1 }, weights, epsilon: "20" });
}

/** Makers of each, with a value of its domain. */
export const COSTLY = {
  "local hashing, 1,000,000 numbered values": () => [hashing(categories(1_000_000)), 777_777],
  "local hashing, 500,000 named values": () => [hashing(categories(500_000, names())), "9ix"],
  "unary encoding, 262,144 values": () => [survey({
    domain: categories(262_144), mechanism: "unary-encoding", options: { bits: 62, variant: "optimized" },
    weights: { own: String(TOTAL / 2n), other: "1240273392707995214" },
  }), 5],
  "laplace, 65,536 values": () => [survey({ mechanism: "laplace", ...noise(65_536) }), 5],
  "laplace on one of 38 coordinates, 65,536 values each": () => [survey({
    mechanism: "sampled-coordinate", domain: { kind: "vector", version: 1, coordinates: 38, interval: noise(65_536).domain },
    options: { inner: { mechanism: "laplace", options: { bits: 62 } } }, weights: noise(65_536).weights,
  }), Array(38).fill(5)],
  "a table of 1,000,000 weights": () => [table(500_000), 1],
  "a subset of 1 out of 262,144, drawn from 15/16 of them": () => [subset(262_144, 15), 3],
  "names of one letter, 16 lists deep": () => [`${"[".repeat(16)}${'"a",'.repeat(1_000_000)}"a"${"]".repeat(16)}`, null],
};

// Limits of the device, the rules against forged surveys and wrong clocks, and what a client refuses at birth.
import assert from "node:assert/strict";
import test from "node:test";
import { LIMITS } from "../dist/device/budget.js";
import { plain } from "../dist/device/charge.js";
import { Client, Survey } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";
import { makeClient, makeSurvey, mechanismFiles, vectors } from "./device.js";

const WIDE = { maxEpsilon: 99, dayEpsilon: 99, nameEpsilon: 99, questionEpsilon: 99, totalEpsilon: 99 };

/** Answers each survey on its day in one ledger; the codes of what came of them. */
async function codes(answers, options = {}) {
  const ledger = options.ledger ?? new MemoryLedger();
  const found = [];
  for (const [survey, day, more = {}] of answers) {
    const client = makeClient(survey, { ...options, ...more, ledger, clock: () => day });
    found.push(await client.report("yes").then(() => "", (error) => error.message.match(/\((\w+Epsilon)\)|in order|one answer|it asked for/)?.[1] ?? error.message));
  }
  return found;
}

test("ten tenths are one", async () => {
  const tenths = Array.from({ length: 11 }, (_, i) => [makeSurvey({ name: `n${i}`, epsilon: "0.1" }), "2026-11-16"]);
  assert.deepEqual(await codes(tenths, { ...WIDE, totalEpsilon: 1 }), [...Array(10).fill(""), "totalEpsilon"]);
});

test("every limit holds", async () => {
  const on = (i, survey) => [survey, `2026-11-${10 + i}`];
  const named = [0, 1, 2].map((i) => on(i, makeSurvey({ question: `Question ${i}?` })));
  assert.deepEqual(await codes(named, { ...WIDE, nameEpsilon: 2 }), ["", "", "nameEpsilon"]);
  const asked = [0, 1, 2].map((i) => on(i, makeSurvey({ name: `n${i}`, question: "  WHAT   else? " })));
  assert.deepEqual(await codes(asked, { ...WIDE, questionEpsilon: 2 }), ["", "", "questionEpsilon"]);
  const daily = ["a", "b", "c"].map((name) => [makeSurvey({ name }), "2026-11-10"]);
  assert.deepEqual(await codes(daily), ["", "", "dayEpsilon"]);
  assert.throws(() => makeClient(makeSurvey({ epsilon: "2.1" })), { code: "over-budget", message: /gives at most 2 \(maxEpsilon\)/ });
});

test("costs with different numbers of digits add up exactly", async () => {
  const answers = ["1", "0.25", "0.125", "0.5", "0.0000011"].map((epsilon, i) => [makeSurvey({ name: `n${i}`, epsilon }), "2026-11-16"]);
  const ledger = new MemoryLedger();
  assert.deepEqual(await codes(answers, { ...WIDE, totalEpsilon: 1.8750011, ledger }), ["", "", "", "", ""]);
  assert.equal(await makeClient(makeSurvey(), { ledger }).spent(), "1.8750011");
  assert.deepEqual(await codes(answers, { ...WIDE, totalEpsilon: 1.875001 }), ["", "", "", "", "totalEpsilon"]);
  assert.deepEqual(await codes(answers.reverse(), { ...WIDE, totalEpsilon: 1.875001 }), ["", "", "", "", "totalEpsilon"]);
});

test("the day is that of UTC", async () => {
  const today = () => new Date().toISOString().split("T")[0];
  const before = today();
  const { window } = await new Client(makeSurvey(), { ledger: new MemoryLedger() }).report("yes");
  assert.ok([before, today()].includes(window), window); // midnight may come between
});

test("a limit of 0 is a limit", async () => {
  assert.deepEqual(await codes([[makeSurvey(), "2026-11-10"]], { ...WIDE, totalEpsilon: 0 }), ["totalEpsilon"]);
});

test("one window gets one answer by name, and one by question", async () => {
  const first = makeSurvey({ name: "a", question: "A?" });
  for (const [name, question, right] of [["a", "B?", false], ["b", "A?", false], ["b", "B?", true]]) {
    const [, second] = await codes([[first, "2026-11-16"], [makeSurvey({ name, question }), "2026-11-16"]], WIDE);
    if (right) assert.equal(second, "");
    else assert.match(second, /which was answered for the same days or later ones: one window gets one answer/);
    const [, dearer] = await codes([[first, "2026-11-16"], [makeSurvey({ name, question, epsilon: "1.1" }), "2026-11-17"]], WIDE);
    if (right) assert.equal(dearer, "");
    else assert.match(dearer, /asks for epsilon 1\.1; under the fingerprint \w+ it asked for 1\./);
  }
});

test("the limits where a program sets none, and limits that options inherit", async () => {
  assert.deepEqual(LIMITS, {
    maxEpsilon: 2, dayEpsilon: 2, nameEpsilon: 5, questionEpsilon: 5, seriesEpsilon: 5, publisherEpsilon: 10, totalEpsilon: 10,
  });
  const inherited = new (class { get totalEpsilon() { return 1; } })();
  const ledger = new MemoryLedger();
  const clients = ["a", "b"].map((name) => new Client(makeSurvey({ name }), Object.setPrototypeOf({ ledger, clock: () => "2026-11-16" }, inherited)));
  await clients[0].report("yes");
  await assert.rejects(clients[1].report("yes"), { code: "over-budget", message: /totalEpsilon/ });
});

test("a clock that is set forward is stopped by elapsed time", async () => {
  const forward = [10, 11, 12, 13, 14].map((day) => [makeSurvey(), `2026-11-${day}`]);
  assert.deepEqual(await codes(forward, { ...WIDE, dayEpsilon: 2 }), ["", "", "", "", "dayEpsilon"]);
  const ledger = new MemoryLedger();
  let now = 0;
  ledger.elapsed = () => ({ boot: "one", seconds: (now += 40_000) });
  assert.deepEqual(await codes(forward, { ...WIDE, dayEpsilon: 2, ledger }), ["", "", "", "", ""]);
});

test("twice the limit of a day holds for 86,400 seconds of one start of the machine", async () => {
  const forward = [10, 11, 12].map((day) => [makeSurvey(), `2026-11-${day}`]);
  for (const [boots, seconds, last] of [["aaa", [0, 0, 86_400], ""], ["aaa", [0, 0, 86_399.5], "dayEpsilon"], ["aaa", [1e5, 1e5, 1e5], "dayEpsilon"], ["aab", [0, 0, 1], ""]]) {
    const ledger = new MemoryLedger();
    let i = 0;
    ledger.elapsed = () => ({ boot: boots[i], seconds: seconds[i++] });
    assert.deepEqual(await codes(forward, { ...WIDE, dayEpsilon: 1, ledger }), ["", "", last]);
  }
});

test("windows are answered in order, under any fingerprint, and a known survey does not become dearer", async () => {
  const week = makeSurvey({ window: "week" });
  const [, back] = await codes([[makeSurvey(), "2026-11-16"], [makeSurvey(), "2026-11-15"]], WIDE);
  assert.match(back, /windows are answered in order/);
  const [, copy] = await codes([[makeSurvey(), "2026-11-16"], [week, "2026-11-17"]], WIDE);
  assert.match(copy, /one window gets one answer/);
  const dear = makeSurvey({ epsilon: "1.5" });
  const [, dearer, pinned] = await codes(
    [[makeSurvey(), "2026-11-16"], [dear, "2026-11-17"], [dear, "2026-11-18", { fingerprint: dear.fingerprint }]], WIDE,
  );
  assert.match(dearer, /it asked for 1\. If the new one is agreed to/);
  assert.equal(pinned, "");
});

test("names and questions are compared without case, width and spaces", () => {
  assert.equal(plain("  Ｗhat\t\u00a0IS\u2003 it?\n"), "what is it?");
  assert.equal(plain("STRASSE ΣΑΣ"), plain("straße σας"));
});

test("a client is refused at birth what it must not have", () => {
  const refused = (options, code) => assert.throws(() => makeClient(makeSurvey(), options), { code });
  refused({ fingerprint: "0".repeat(32) }, "mismatch");
  refused({ maximumEpsilon: 1 }, "invalid-argument"); // a limit that is misspelt would not hold
  refused({ maxDelta: 1 }, "invalid-argument");
  refused({ token: "to ken" }, "invalid-argument");
  for (const totalEpsilon of [-1, NaN, Infinity, "10", null]) refused({ totalEpsilon }, "invalid-argument");
  for (const url of ["collector.example", "ftp://x", "https://", "https://x/?a", "https://x#a", "https://u:p@x", "http://x.example", 7]) refused({ url }, "invalid-argument");
  for (const url of ["http://localhost:8000", "http://[::1]:8000/base/", "https://x.example/base"]) makeClient(makeSurvey(), { url });
  makeClient(makeSurvey(), { url: "http://x.example", plainHttp: true });
  assert.throws(() => new Client({ name: "pets" }, { ledger: new MemoryLedger() }), { code: "invalid-argument" });
});

test("without randomness a client is refused", () => {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    assert.throws(() => makeClient(makeSurvey()), { code: "no-randomness" });
  } finally {
    Object.defineProperty(globalThis, "crypto", descriptor);
  }
});

test("delta above 0 is refused by every client, and less than the whole answer unless it is named", () => {
  let deltas = 0;
  const scopes = { edge: 0, "sensitive answer": 0 };
  for (const file of mechanismFiles()) {
    for (const { survey: text, certificate } of vectors(file).surveys) {
      if (certificate.delta !== undefined) {
        deltas++;
        assert.throws(() => Survey.parse(text), { code: "invalid-survey", message: /delta/ });
        assert.throws(() => makeClient(Survey.parse(text, { maxDelta: "1" }), WIDE), { code: "over-budget", message: /delta above 0/ });
        continue;
      }
      const survey = Survey.parse(text);
      const { scope } = survey.certificate;
      if (scope === "") {
        makeClient(survey, WIDE);
        continue;
      }
      scopes[scope]++;
      for (const named of [undefined, [], Object.keys(scopes).filter((other) => other !== scope)]) {
        const message = new RegExp(`scopes: \\["${scope}"\\]`);
        assert.throws(() => makeClient(survey, { ...WIDE, scopes: named }), { code: "invalid-survey", message });
      }
      makeClient(survey, { ...WIDE, scopes: [scope] });
    }
  }
  assert.ok(deltas > 3 && Object.values(scopes).every((count) => count > 3), `${deltas} surveys with delta, ${JSON.stringify(scopes)}`);
});

test("an unreadable cost is not taken for nothing", async () => {
  const ledger = new MemoryLedger();
  await makeClient(makeSurvey(), { ledger }).report("yes");
  await ledger.transact((rows) => ({ write: rows.map((row) => ({ ...row, epsilon: "one" })), result: 0 }));
  const client = makeClient(makeSurvey({ name: "other" }), { ledger });
  await assert.rejects(client.report("yes"), { code: "no-ledger" });
  await assert.rejects(client.spent(), { code: "no-ledger" });
});

test("surveys of one series share a budget, and those of one key; a new series refills none", async () => {
  const of = (series, day, more = {}) => [makeSurvey({ name: `${series} ${day}`, series, ...more }), `2026-11-${day}`];
  const two = { ...WIDE, seriesEpsilon: 2 };
  assert.deepEqual(await codes([of("Meals", 10), of(" MEALS ", 11), of("meals", 12), of("sleep", 13), of("", 14)], two), ["", "", "seriesEpsilon", "", ""]);
  const named = ["p", "q", "r"].map((series, i) => [makeSurvey({ name: "one", series }), `2026-11-${10 + i}`]);
  assert.deepEqual(await codes(named, { ...WIDE, nameEpsilon: 2 }), ["", "", "nameEpsilon"]);
  assert.deepEqual(await codes(named, { ...WIDE, questionEpsilon: 2 }), ["", "", "questionEpsilon"]);
  assert.deepEqual(await codes([of("p", 10), of("q", 11), of("r", 12)], { ...WIDE, totalEpsilon: 2 }), ["", "", "totalEpsilon"]);
  assert.deepEqual(await codes([of("", 10)], { ...WIDE, seriesEpsilon: 0, publisherEpsilon: 0 }), [""]);
  const signed = (day, publisher) => [Object.assign(of(`series ${day}`, day)[0], { publisher }), `2026-11-${day}`];
  const keys = [signed(10, "ab"), signed(11, "ab"), signed(12, "ab"), signed(13, "cd"), signed(14, "")];
  assert.deepEqual(await codes(keys, { ...WIDE, publisherEpsilon: 2 }), ["", "", "publisherEpsilon", "", ""]);
});

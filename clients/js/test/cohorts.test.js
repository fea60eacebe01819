// Cohorts on a device: drawn once and privately, asked once in W windows, silent whatever the value. Chromium runs this file too.
import assert from "node:assert/strict";
import test from "node:test";
import { cohortOf } from "../dist/device/memory.js";
import { systemWords } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";
import { ledgers, makeClient, makeSurvey } from "./device.js";
import { again, cohorts, day, known, onDay } from "./repeated.js";

const WEEK = [0, 1, 2, 3, 4, 5, 6];

async function daysAsked(survey, ledger, steps) {
  const found = [];
  for (const step of steps) if (await onDay(step, survey, ledger).asked()) found.push(step);
  return found;
}

test("a device is asked in one window of seven", async () => {
  const [survey, ledger] = [cohorts(), new MemoryLedger()];
  const receipts = [];
  for (let step = 0; step < 28; step++) receipts.push(await onDay(step, survey, ledger).report("yes"));
  const asked = receipts.map(({ state }, step) => (state === "pending" ? step : -1)).filter((step) => step >= 0);
  assert.equal(asked.length, 4);
  assert.deepEqual(asked.map((step) => step % 7), Array(4).fill(asked[0]));
  assert.deepEqual(await daysAsked(survey, ledger, Array.from({ length: 28 }, (_, i) => i)), asked);
  const client = onDay(0, survey, ledger);
  assert.equal(await client.spent(), "4");
  const silent = receipts.find(({ state }) => state === "not-asked");
  assert.deepEqual({ ...silent, window: "" }, { fingerprint: survey.fingerprint, window: "", survey: "daily", epsilon: "0", delta: "0", id: new Uint8Array(), upload: new Uint8Array(), state: "not-asked", code: "" });
  assert.equal((await client.receipts()).length, 4);
  const { status, cost, parts } = client.explain(silent);
  assert.deepEqual([status, parts], ["This device is not asked in this window.", []]);
  assert.match(cost, /^This survey costs epsilon 1 in any 7 windows \(day\) in a row\. This report cost epsilon 0\. Any report is at most/);
  assert.match(cost, /Your device draws which one of 7 windows \(day\) asks you: in any 7 in a row you send at most one report\.$/);
});

test("the next window that asks is known", async () => {
  for (const window of ["day", "week", "month"]) {
    const [survey, ledger] = [cohorts(`next ${window}`, "1/3", { window }), new MemoryLedger()];
    const next = await onDay(44, survey, ledger).nextAsked(); // 30 December
    assert.ok(next > day(44));
    const step = Math.round((Date.parse(next) - Date.parse(day(0))) / 86_400_000);
    assert.equal(await onDay(step, survey, ledger).asked(), true);
    const between = Array.from({ length: step - 45 }, (_, i) => 45 + i);
    const windows = await Promise.all(between.map(async (each) => [survey.windowOf(day(each)), await onDay(each, survey, ledger).asked()]));
    assert.deepEqual(windows.filter(([name, asks]) => asks && name !== survey.windowOf(day(44))), []);
  }
});

test("a survey that closes asks no more, and one that opens later asks from then on", async () => {
  const ledger = new MemoryLedger();
  const closing = cohorts("closing", "1/7", { opens: day(0), closes: day(6) });
  const [asked, ...more] = await daysAsked(closing, ledger, WEEK);
  assert.deepEqual(more, []);
  assert.equal(await onDay(asked, closing, ledger).nextAsked(), undefined);
  await assert.rejects(onDay(7, closing, ledger).report("yes"), { code: "window-closed" });
  const once = onDay(0, makeSurvey({ window: "once" }), ledger);
  assert.deepEqual([await once.asked(), await once.nextAsked()], [true, undefined]);
  const every = onDay(0, makeSurvey(), ledger);
  assert.deepEqual([await every.asked(), await every.nextAsked()], [true, day(1)]);
  const later = cohorts("later", "1/2", { window: "week", opens: "2027-01-06" }); // a Wednesday
  const next = await onDay(0, later, ledger).nextAsked();
  assert.ok(["2027-01-06", "2027-01-11"].includes(next), next);
  assert.equal(await makeClient(later, { ledger, clock: () => "9999-12-31" }).nextAsked(), undefined);
});

test("a bad value is an error in every window, and one of `other` in none", async () => {
  const ledger = new MemoryLedger();
  for (const step of WEEK) await assert.rejects(onDay(step, cohorts(), ledger).report("perhaps"), { code: "invalid-value" });
  assert.deepEqual((await known(ledger)).rows, []);
});

test("a survey that is published again draws nothing anew, and another number of cohorts does", async () => {
  const ledger = new MemoryLedger();
  const survey = cohorts();
  const copy = again(survey, { minimum_batch: 20, name: "daily again" });
  assert.deepEqual(await daysAsked(survey, ledger, WEEK), await daysAsked(copy, ledger, WEEK));
  assert.equal((await known(ledger)).kept.length, 1);
  await onDay(0, again(survey, { ask: "1/2" }), ledger).asked();
  const { kept } = await known(ledger);
  assert.deepEqual(kept.map(({ kind, name }) => `${kind} ${name.slice(32)}`), ["cohort  7", "cohort  2"]);
  assert.ok(kept[1].value < 2);
});

test("a cohort is uniform, and of the device's randomness", () => {
  // 2,000 draws of 5 cohorts; at a chi-square of 37.3 a fair draw fails once in ten million.
  const counts = Array(5).fill(0);
  for (let i = 0; i < 2000; i++) counts[cohortOf({ kept: [], memos: [] }, cohorts("uniform", "1/5"), systemWords()).result]++;
  assert.ok(counts.reduce((sum, count) => sum + (count - 400) ** 2 / 400, 0) < 37.3, String(counts));
});

for (const [name, make] of Object.entries(await ledgers())) {
  const skip = typeof make === "string" ? make : false;

  test(`${name}: 8 clients at once draw one cohort, which stays`, { skip }, async () => {
    const open = make();
    const survey = cohorts("race", "1/1000");
    const found = await Promise.all(WEEK.map((step) => onDay(step, survey, open()).nextAsked()));
    const { kept } = await known(open());
    assert.equal(kept.length, 1);
    assert.equal(typeof kept[0].value, "number");
    assert.deepEqual([...new Set(found)].length <= 2, true); // one of the days may be the window itself
    await onDay(0, survey, open()).asked();
    assert.deepEqual((await known(open())).kept.map((one) => ({ ...one })), kept.map((one) => ({ ...one })));
  });
}

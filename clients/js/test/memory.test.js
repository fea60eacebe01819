// Memory on a device: permanent answers drawn once, charged once, and kept before anything leaves. Chromium runs this file too.
import assert from "node:assert/strict";
import test from "node:test";
import { NodeLedger } from "../dist/device/nodeledger.js";
import { Survey, toHex } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";
import { ledgers, makeClient, makeSurvey, vectors } from "./device.js";
import { again, CLEAR, COLORS, day, known, onDay, remembering, WIDE } from "./repeated.js";

const DATES = { opens: day(0), closes: day(9) };

async function reports(survey, answers, ledger, options = WIDE) {
  const found = [];
  for (const [step, answer] of answers.entries()) found.push(await onDay(step, survey, ledger, options).report(answer));
  return found;
}

/** The surveys of the vectors, each with its values, asked every day. */
const daily = () => vectors("memoized.json").surveys.map(({ survey, cases }) => [again(Survey.parse(survey), { window: "day" }), cases.map(({ value }) => value)]);
const values = (receipts) => receipts.map(({ upload }) => upload.at(-1));

test("the first report pays for all", async () => {
  const [survey, ledger] = [remembering(), new MemoryLedger()];
  const receipts = await reports(survey, Array(40).fill("red"), ledger, {});
  assert.deepEqual(receipts.map(({ epsilon }) => epsilon), ["2", ...Array(39).fill("0")]);
  assert.equal(new Set(receipts.map(({ id }) => toHex(id))).size, 40);
  const client = onDay(39, survey, ledger);
  assert.equal(await client.spent(), "2");
  assert.equal(await client.remembered(), 1);
  assert.match(client.explain(receipts[0]).cost, /^This survey costs epsilon 2 for all reports, 1 for one\. This report cost epsilon 2\. All your reports together are at most 7\.39 times/);
  assert.match(client.explain(receipts[1]).cost, /^This survey costs epsilon 2 for all reports, 1 for one\. This report cost nothing more: the first one paid for it\. All your reports/);
});

test("changes are charged at the first report, whatever is answered", async () => {
  for (const [changes, days] of [[1, 10], [2, 10], [9, 10]]) {
    const survey = remembering({ changes, ...DATES });
    assert.ok(Number(survey.cost) > 2);
    assert.throws(() => onDay(0, survey, new MemoryLedger()), { code: "over-budget", message: /for all its reports; this device gives at most 2 \(maxEpsilon\)/ });
    const ledger = new MemoryLedger();
    const receipts = await reports(survey, Array.from({ length: days }, (_, i) => COLORS[i % 4]), ledger);
    assert.deepEqual(receipts.map(({ epsilon }) => epsilon), [survey.cost, ...Array(days - 1).fill("0")]);
    assert.equal((await known(ledger)).memos.length, Math.min(changes + 1, 4));
    assert.equal(await makeClient(survey, { ...WIDE, ledger }).spent(), survey.cost);
  }
});

test("a period is charged when it begins", async () => {
  const [survey, ledger] = [remembering({ period: 5 }), new MemoryLedger()];
  const number = (step) => Math.floor(Date.parse(day(step)) / 86_400_000 / 5);
  const start = [1, 2, 3, 4, 5].find((step) => number(step) > number(step - 1));
  const charged = [];
  for (let step = start; step < start + 10; step++) charged.push((await onDay(step, survey, ledger).report("red")).epsilon);
  assert.deepEqual(charged, ["2", "0", "0", "0", "0", "2", "0", "0", "0", "0"]);
  await assert.rejects(onDay(start + 10, survey, ledger, { dayEpsilon: 9 }).report("red"), { code: "over-budget", message: /nameEpsilon/ });
  const { memos } = await known(ledger);
  assert.deepEqual(memos.map(({ period }) => period), [number(start) + 1]); // that of the first period is forgotten
});

test("limits refuse before anything is drawn", async () => {
  const ledger = new MemoryLedger();
  await onDay(0, makeSurvey(), ledger).report("yes");
  await assert.rejects(onDay(0, remembering(), ledger).report("red"), { code: "over-budget", message: /asks for epsilon 2; of the 2 .*\(dayEpsilon\), 1 are spent/ });
  const { kept, memos } = await known(ledger);
  assert.deepEqual([kept, memos], [[], []]);
  assert.equal((await onDay(1, remembering(), ledger).report("red")).epsilon, "2");
  assert.throws(() => onDay(0, remembering({ lifetime: 3 }), ledger), { code: "over-budget", message: /asks for epsilon 3 for all its reports/ });
});

test("the first answer speaks in every window", async () => {
  const ledger = new MemoryLedger();
  const answers = Array(5).fill(["green", "red", "blue", "red"]).flat();
  assert.deepEqual(values(await reports(remembering(CLEAR), answers, ledger)), Array(20).fill(1));
  const [{ tag, memo }] = (await known(ledger)).memos;
  assert.deepEqual([tag.length, memo], [0, 1]); // nothing needs to know the answer again
});

test("answers that are paid for come back, and others do not", async () => {
  const ledger = new MemoryLedger();
  const survey = remembering({ ...CLEAR, changes: 1, ...DATES });
  const receipts = await reports(survey, ["green", "red", "green", "blue", "other", "green", "red"], ledger);
  assert.deepEqual(values(receipts), [1, 0, 1, 0, 0, 1, 0]);
  const { kept, memos } = await known(ledger);
  assert.deepEqual(memos.map(({ ordinal, tag }) => [ordinal, tag.length]), [[0, 16], [1, 16]]);
  assert.notDeepEqual(memos[0].tag, memos[1].tag);
  assert.deepEqual(kept.map(({ kind, value }) => [kind, value.length]), [["secret", 32]]);
  const other = new MemoryLedger();
  await reports(survey, ["green"], other);
  assert.notDeepEqual((await known(other)).memos[0].tag, memos[0].tag); // another secret
});

test("every inner mechanism is kept and reported, and a hash with it", async () => {
  const seen = new Set();
  for (const [survey, [one, other]] of daily()) {
    const ledger = new MemoryLedger();
    const receipts = await reports(survey, [one, other, one], ledger);
    const { kept, memos } = await known(ledger);
    assert.equal(memos.length, 1);
    const { family } = survey.mechanism.memory;
    const hashes = receipts.map(({ upload }) => toHex(upload.slice(upload.length - survey.payloadBytes, upload.length - 1)));
    if (family === undefined) assert.deepEqual(kept, []);
    else assert.deepEqual(kept.map(({ kind, name }) => [kind, name]), [["hash", family.name]]);
    if (family !== undefined) assert.equal(new Set(hashes).size, 1);
    seen.add(survey.mechanism.document.get("options").get("inner").get("mechanism"));
  }
  assert.deepEqual([...seen].sort(), ["local-hashing", "randomized-response", "square-wave", "unary-encoding"]);
});

test("one hash for all surveys of a family", async () => {
  const [first, [value]] = daily().find(([{ mechanism }]) => mechanism.memory.family !== undefined);
  const second = again(first, { name: "another", question: "Another?" });
  const ledger = new MemoryLedger();
  await onDay(0, first, ledger, WIDE).report(value);
  await onDay(0, second, ledger, WIDE).report(value);
  const { kept, memos } = await known(ledger);
  assert.equal(kept.length, 1);
  assert.equal(memos.length, 2);
  const drawn = new Set();
  for (let i = 0; i < 12; i++) {
    const device = new MemoryLedger();
    await onDay(0, first, device, WIDE).report(value);
    drawn.add((await known(device)).kept[0].value);
  }
  assert.ok(drawn.size > 3, String(drawn.size));
});

test("a domain, mechanism or rule that changes is another memory, and other dates are not", async () => {
  const ledger = new MemoryLedger();
  const survey = remembering();
  await onDay(0, survey, ledger, WIDE).report("red");
  const epsilons = [];
  const copies = [
    again(survey, { minimum_batch: 50, opens: day(0), closes: day(60) }), remembering({ values: [...COLORS, "white"] }),
    remembering({ epsilon: 0.5 }), remembering({ period: 1000 }), remembering({ changes: 1, ...DATES }), remembering({ changes: 1, ...DATES, closes: day(12) }),
  ];
  for (const [i, copy] of copies.entries()) {
    epsilons.push((await onDay(i + 1, copy, ledger, { ...WIDE, fingerprint: copy.fingerprint }).report("blue")).epsilon);
  }
  assert.deepEqual(epsilons, ["0", "2", "2", "2", copies[4].cost, copies[5].cost]);
});

test("a ledger that is lost is another memory", async () => {
  const survey = remembering();
  const receipts = [await onDay(0, survey, new MemoryLedger()).report("red"), await onDay(1, survey, new MemoryLedger()).report("red")];
  assert.deepEqual(receipts.map(({ epsilon }) => epsilon), ["2", "2"]);
});

test("a clock that goes back opens no window, and a window gets one report", async () => {
  const [survey, ledger] = [remembering(), new MemoryLedger()];
  const first = await onDay(0, survey, ledger).report("red");
  await onDay(2, survey, ledger).report("red");
  assert.deepEqual(await onDay(0, survey, ledger).report("blue"), first);
  await assert.rejects(onDay(1, survey, ledger).report("red"), { code: "over-budget", message: /windows are answered in order/ });
  const { rows, memos } = await known(ledger);
  assert.deepEqual([rows.length, memos.length], [2, 1]);
});

test("values outside draw nothing", async () => {
  const ledger = new MemoryLedger();
  for (const wrong of ["beer", null, ["red", "blue"]]) await assert.rejects(onDay(0, remembering(), ledger).report(wrong), { code: "invalid-value" });
  assert.deepEqual(await known(ledger), { rows: [], kept: [], memos: [] });
  assert.equal((await onDay(0, remembering({ outside: "other" }), ledger).report("beer")).state, "pending");
});

test("a ledger of an own program that keeps no memories is refused", async () => {
  const inner = new MemoryLedger();
  const older = { elapsed: () => inner.elapsed(), transact: (change) => inner.transact((rows, logs) => change(rows, logs)) };
  await assert.rejects(onDay(0, remembering(), older).report("red"), { code: "no-ledger", message: /keeps no cohorts and no permanent answers/ });
  assert.deepEqual((await known(inner)).rows, []);
  assert.equal((await onDay(0, makeSurvey(), older).report("yes")).state, "pending");
});

test("a ledger may show permanent answers in any order", async () => {
  const inner = new MemoryLedger();
  const turned = {
    elapsed: () => inner.elapsed(),
    transact: (change) => inner.transact((rows, logs, { kept, memos }) => change(rows, logs, { kept, memos: [...memos].reverse() })),
  };
  const survey = remembering({ ...CLEAR, changes: 1, ...DATES });
  assert.deepEqual(values(await reports(survey, ["green", "red", "blue", "green"], turned)), [1, 0, 0, 1]);
});

for (const [name, make] of Object.entries(await ledgers())) {
  const skip = typeof make === "string" ? make : false;

  test(`${name}: 8 clients at once draw one memo and one report`, { skip }, async () => {
    for (let round = 0; round < 5; round++) {
      const open = make();
      const survey = remembering({ changes: 1, ...DATES });
      const clients = Array.from({ length: 8 }, () => onDay(0, survey, open(), WIDE));
      const receipts = await Promise.all(clients.map((client, i) => client.report(COLORS[i % 4])));
      assert.equal(new Set(receipts.map(({ upload }) => toHex(upload))).size, 1);
      const { kept, memos } = await known(open());
      assert.deepEqual([kept.length, memos.length], [1, 1]);
    }
  });

  test(`${name}: memories stay, are added to, and are forgotten with their period`, { skip }, async () => {
    const open = make();
    const survey = remembering({ ...CLEAR, period: 2, changes: 1 });
    const days = Date.parse(day(0)) / 86_400_000;
    const start = days % 2; // the first window of a period
    const found = [];
    for (const [step, answer] of ["green", "red", "blue", "other"].entries()) {
      found.push(await onDay(start + step, survey, open(), WIDE).report(answer));
      assert.equal(await onDay(start + step, survey, open(), WIDE).remembered(), 1 + (step % 2));
    }
    assert.deepEqual(values(found), [1, 0, 2, 3]);
    const { memos } = await known(open());
    assert.deepEqual(memos.map(({ ordinal, memo }) => [ordinal, memo]), [[0, 2], [1, 3]]);
  });

  test(`${name}: a change that throws keeps nothing`, { skip }, async () => {
    const open = make();
    const kept = [{ kind: "cohort", name: "x 7", value: 3 }];
    await assert.rejects(open().transact(() => ({ kept, result: null.length })), TypeError);
    assert.deepEqual((await known(open())).kept, []);
    await open().transact(() => ({ kept, result: 0 }));
    assert.deepEqual((await known(open())).kept.map((one) => ({ ...one })), kept);
  });

  test(`${name}: permanent bits are bytes`, { skip }, async () => {
    const [survey, [value]] = daily().find(([{ mechanism }]) => mechanism.fields[0].kind === "bits");
    const open = make();
    await onDay(0, survey, open(), WIDE).report(value);
    const [{ memo }] = (await known(open())).memos;
    assert.equal(memo.length, survey.payloadBytes);
    assert.equal((await onDay(1, survey, open(), WIDE).report(value)).epsilon, "0");
    assert.deepEqual((await known(open())).memos[0].memo, memo);
  });
}

const sqlite = (await ledgers())["node:sqlite"];
test("a file is of version 4 only where something is kept", { skip: typeof sqlite === "string" ? sqlite : false }, async () => {
  const open = sqlite();
  const version = async () => {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const database = new DatabaseSync(open().path);
    const [{ user_version: found }] = database.prepare("PRAGMA user_version").all();
    database.close();
    return found;
  };
  await onDay(0, makeSurvey(), open()).report("yes");
  assert.equal(await version(), 3);
  await onDay(1, remembering(), open()).report("red");
  assert.equal(await version(), 4);
  await onDay(2, makeSurvey(), open()).report("yes");
  assert.equal((await known(open())).rows.length, 3);
  assert.ok(open() instanceof NodeLedger);
});

const browser = (await ledgers()).IndexedDB;
test("a database of an older bundle gets what it lacks", { skip: typeof browser === "string" ? browser : false }, async () => {
  const open = browser();
  const ledger = open();
  await new Promise((resolve, reject) => {
    const request = indexedDB.open(ledger.name, 2); // as version 2 made it
    request.onerror = reject;
    request.onupgradeneeded = () => {
      request.result.createObjectStore("reports", { keyPath: ["fingerprint", "window"] });
      request.result.createObjectStore("logs", { keyPath: "url" });
    };
    request.onsuccess = () => resolve(request.result.close());
  });
  assert.equal((await onDay(0, remembering(), ledger).report("red")).epsilon, "2");
  assert.equal((await onDay(1, remembering(), open()).report("red")).epsilon, "0");
});

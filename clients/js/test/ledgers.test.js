// Every kind of ledger: one report per survey and window whoever draws, within the budget, and nothing of a draw that fails.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { NodeLedger } from "../dist/device/nodeledger.js";
import { BrowserLedger, toHex } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";
import { DAY, ledgers, makeClient, makeSurvey, temporary } from "./device.js";

for (const [name, make] of Object.entries(await ledgers())) {
  const skip = typeof make === "string" ? make : false;

  test(`${name}: 8 clients at once draw one report`, { skip }, async () => {
    for (let round = 0; round < 10; round++) {
      const open = make();
      const survey = makeSurvey();
      const clients = Array.from({ length: 8 }, () => makeClient(survey, { ledger: open() }));
      const receipts = await Promise.all(clients.map((client, i) => client.report(i % 2 ? "yes" : "no")));
      assert.equal(new Set(receipts.map(({ upload }) => toHex(upload))).size, 1);
      assert.equal(await clients[0].spent(), "1");
    }
  });

  test(`${name}: a budget for 3 of 8 surveys answers 3`, { skip }, async () => {
    for (let round = 0; round < 10; round++) {
      const open = make();
      const surveys = Array.from({ length: 8 }, (_, i) => makeSurvey({ name: `survey ${i}`, epsilon: "0.1" }));
      const answered = await Promise.allSettled(
        surveys.map((survey) => makeClient(survey, { ledger: open(), totalEpsilon: 0.3 }).report("yes")),
      );
      const refused = answered.filter(({ status }) => status === "rejected");
      assert.equal(refused.length, 5);
      for (const { reason } of refused) {
        assert.equal(reason.code, "over-budget");
        assert.match(reason.message, /of the 0\.3 that this device may spend in all \(totalEpsilon\), 0\.3 are spent/);
      }
      assert.equal(await makeClient(surveys[0], { ledger: open() }).spent(), "0.3");
    }
  });

  test(`${name}: what is written stays, and a change that throws writes nothing`, { skip }, async () => {
    const open = make();
    const client = makeClient(makeSurvey(), { ledger: open() });
    await assert.rejects(client.report("perhaps"), { code: "invalid-value" });
    assert.equal(await client.spent(), "0");
    const receipt = await client.report("yes");
    await assert.rejects(open().transact((rows) => ({ write: rows.map((row) => ({ ...row, epsilon: "9" })), result: null.length })), TypeError);
    const [again] = await makeClient(makeSurvey(), { ledger: open() }).receipts();
    assert.deepEqual({ ...again, id: toHex(again.id), upload: toHex(again.upload) }, { ...receipt, id: toHex(receipt.id), upload: toHex(receipt.upload) });
    const rows = await open().transact((all) => ({ write: [], result: all }));
    assert.equal(rows.length, 1);
    const { first, last, day, delta, state } = rows[0];
    assert.deepEqual({ first, last, day, delta, state }, { first: DAY, last: DAY, day: DAY, delta: "0", state: "pending" });
    assert.ok(!Object.values(rows[0]).includes("yes")); // never the answer
  });

  test(`${name}: receipts come by window, whatever happened to them`, { skip }, async () => {
    const open = make();
    const days = ["2026-11-14", "2026-11-15", "2026-11-16"];
    const wide = { dayEpsilon: 9, ledger: open() };
    for (const day of days) await makeClient(makeSurvey(), { ...wide, clock: () => day }).report("yes");
    const client = makeClient(makeSurvey(), wide);
    for (const which of [1, 0, 2]) await client.acknowledge((await client.receipts())[which]);
    assert.deepEqual((await client.receipts()).map(({ window, state }) => `${window} ${state}`), days.map((day) => `${day} acknowledged`));
  });

  test(`${name}: a clock that was ahead counts as today, even where the report is refused`, { skip }, async () => {
    const open = make();
    const ahead = makeClient(makeSurvey({ epsilon: "2" }), { ledger: open(), clock: () => "2027-01-01" });
    await ahead.report("yes");
    await assert.rejects(makeClient(makeSurvey({ name: "other" }), { ledger: open() }).report("yes"), { code: "over-budget" });
    const rows = await open().transact((all) => ({ write: [], result: all }));
    assert.deepEqual(rows.map(({ day }) => day), [DAY]);
  });
}

test("where the system does not say when it started, a page or process is one start", (t) => {
  t.mock.method(performance, "now", () => 86_400_000);
  const { boot, seconds } = new MemoryLedger().elapsed();
  assert.match(boot, /^[0-9a-f]{32}$/);
  assert.deepEqual(new BrowserLedger().elapsed(), { boot, seconds: 86_400 });
  assert.equal(seconds, 86_400);
});

const browser = (await ledgers()).IndexedDB;
test("rows of an older bundle, without series and publisher, still count", { skip: typeof browser === "string" ? browser : false }, async () => {
  const open = browser();
  const survey = makeSurvey();
  const memory = new MemoryLedger();
  await makeClient(survey, { ledger: memory }).report("yes");
  const [{ series, publisher, ...row }] = await memory.transact((rows) => ({ write: [], result: rows }));
  assert.deepEqual([series, publisher], ["", ""]);
  await new Promise((resolve, reject) => {
    const request = indexedDB.open("sottovoce", 1); // as version 1 made it
    request.onerror = reject;
    request.onupgradeneeded = () => request.result.createObjectStore("reports", { keyPath: ["fingerprint", "window"] }).put(row);
    request.onsuccess = () => resolve(request.result.close());
  });
  const older = await new Promise((resolve) => { indexedDB.open("sottovoce").onsuccess = ({ target }) => resolve(target.result); });
  assert.equal(older.version, 1);
  setTimeout(() => older.close(), 20); // a page of that time, in the middle of a transaction, is waited for
  const again = makeClient(survey, { ledger: open(), clock: () => "2026-11-15" });
  await assert.rejects(again.report("yes"), { code: "over-budget", message: /windows are answered in order/ });
  assert.equal(await again.spent(), "1");
  assert.equal((await makeClient(survey, { ledger: open() }).report("no")).state, "pending"); // the stored one
  const limits = { totalEpsilon: 1.5, seriesEpsilon: 1 };
  await assert.rejects(makeClient(makeSurvey({ name: "b", series: "s" }), { ledger: open(), ...limits }).report("yes"), /totalEpsilon/);
  const other = makeClient(makeSurvey({ name: "b", series: "s" }), { ledger: open(), seriesEpsilon: 1 });
  assert.equal((await other.report("yes")).state, "pending"); // the row is of no series
  await assert.rejects(makeClient(makeSurvey({ name: "c", series: "s" }), { ledger: open(), dayEpsilon: 9, seriesEpsilon: 1 }).report("yes"), /seriesEpsilon/);
});

const sqlite = (await ledgers())["node:sqlite"];
test("a file that is not a ledger is refused, and left as it is", { skip: typeof sqlite === "string" ? sqlite : false }, () => {
  const folder = temporary();
  const file = path.join(folder, "ledger.sqlite");
  for (const content of ["", "not a database", "SQLite format 3\0" + "x".repeat(5000)]) {
    fs.writeFileSync(file, content);
    assert.throws(() => new NodeLedger(folder), { code: "no-ledger" });
    assert.equal(fs.readFileSync(file, "latin1"), content);
  }
  fs.rmSync(file);
  new NodeLedger(folder);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(folder), ["ledger.sqlite"]);
  fs.truncateSync(file, 4096);
  assert.throws(() => new NodeLedger(folder), { code: "no-ledger" });
});

test("a ledger that disappears is not replaced", { skip: typeof sqlite === "string" ? sqlite : false }, async () => {
  const folder = temporary();
  const client = makeClient(makeSurvey(), { ledger: new NodeLedger(folder) });
  fs.rmSync(path.join(folder, "ledger.sqlite"));
  await assert.rejects(client.report("yes"), { code: "no-ledger" });
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("without a ledger a client is refused where nothing remembers", { skip: typeof sqlite === "string" ? false : "this Node has node:sqlite" }, async () => {
  const { Client } = await import("../dist/index.js");
  const there = globalThis.indexedDB;
  delete globalThis.indexedDB;
  try {
    assert.throws(() => new Client(makeSurvey()), { code: "no-ledger", message: /pass a ledger, or use Node 22\.13/ });
    globalThis.indexedDB = { open: () => { throw new DOMException("denied", "SecurityError"); } };
    await assert.rejects(new Client(makeSurvey()).report("yes"), { code: "no-ledger", message: /so nothing is drawn or sent/ });
  } finally {
    globalThis.indexedDB = there;
  }
});

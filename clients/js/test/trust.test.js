// Signatures and logs: every vector, and a collector that shows one thing to this device and another to others.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import test from "node:test";
import { follow } from "../dist/device/logcheck.js";
import { Client, Survey } from "../dist/index.js";
import { readJson } from "../dist/json.js";
import { MemoryLedger } from "../dist/testing.js";
import { collector, DAY, ledgers, logOf, makeClient, makeSurvey, pageOf, STORED, surveyText } from "./device.js";
import { same, Tally, vectors } from "./support.js";

const OTHERS = ["11", "22", "33"].map((digits) => digits.repeat(32));
const patience = { attempts: 2, timeout: 2, sleep: async () => {} };

test("signed surveys", async () => {
  const tally = new Tally("signed.json");
  for (const { name, text, publisher, taken } of vectors(tally.file).cases) {
    const answered = await Survey.parseSigned(text, { publisher }).then((survey) => survey.publisher === publisher, (error) => error);
    tally.check(name, () => {
      if (taken) return answered;
      return same(["NotTrusted", "InvalidSurvey"].includes(answered.name), true, String(answered));
    });
  }
  tally.finish();
});

test("logs", () => {
  const tally = new Tally("log.json");
  for (const { name, kept, entries, head } of vectors(tally.file).cases) {
    tally.check(name, () => {
      let found = kept;
      try {
        for (const entry of readJson(JSON.stringify(entries))) found = follow(found, entry);
      } catch (error) {
        return head === null && error.name === "InvalidSurvey";
      }
      return same(JSON.stringify([found.size, found.head]), JSON.stringify([head?.size, head?.head]), "head");
    });
  }
  tally.finish();
});

/** A publisher's key and the text of a survey that it signed. */
function signer() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex");
  const signed = (survey) => {
    const signature = sign(null, Buffer.from(`sottovoce survey 1\n${survey.digest}\n`), privateKey).toString("hex");
    return `{"publisher":"${key}","signature":"${signature}","signed":1,"survey":${survey.toJson()}}`;
  };
  return { key, signed };
}

test("a pinned publisher: only what this key signed is answered", async (t) => {
  const [publisher, other] = [signer(), signer()];
  const survey = makeSurvey();
  const { url, requests } = await collector(t, { body: publisher.signed(survey) }, STORED);
  const fetched = await Survey.fetch(`${url}/surveys/${survey.fingerprint}`, { publisher: publisher.key });
  assert.equal(requests[0].path, `/surveys/${survey.fingerprint}/signed`);
  assert.deepEqual([fetched.publisher, fetched.collector, fetched.fingerprint], [publisher.key, url, survey.fingerprint]);
  assert.equal((await makeClient(fetched, { publisher: publisher.key }).report("yes")).state, "acknowledged");
  assert.throws(() => makeClient(fetched, { publisher: other.key }), { code: "not-trusted", message: /was signed by the key .*, not by / });
  assert.throws(() => makeClient(survey, { publisher: publisher.key }), { code: "not-trusted", message: /is not signed, not by / });
  for (const key of ["", "AB".repeat(32), "ab".repeat(31), 7]) assert.throws(() => makeClient(fetched, { publisher: key }), { code: "invalid-argument" });
});

test("a collector that raises epsilon, changes weights, signs with another key, or drops the signature is refused", async (t) => {
  const publisher = signer();
  const survey = makeSurvey();
  const address = (url) => `${url}/surveys/${survey.fingerprint}`;
  const changed = (parts) => publisher.signed(survey).replace(survey.toJson(), surveyText(parts));
  const hostile = {
    "raises epsilon": [changed({ epsilon: "2" }), /was not signed by the key/],
    "changes weights": [changed({ weights: [["2", "1"], ["1", "2"]] }), /was not signed by the key/],
    "breaks epsilon by its weights": [changed({ weights: [["9", "1"], ["1", "9"]] }), /no ratio exceeds e\^1/],
    "signs with another key": [signer().signed(survey), /was signed by the key .*, not by /],
    "gives no signature": [survey.toJson(), /an object with publisher, signature, signed, survey/],
    "signs another survey": [publisher.signed(makeSurvey({ name: "other" })), /gave survey .* where .* was asked for/],
  };
  for (const [what, [body, message]] of Object.entries(hostile)) {
    const { url } = await collector(t, { body });
    const codes = /^(not-trusted|invalid-survey|mismatch)$/;
    await assert.rejects(Survey.fetch(address(url), { publisher: publisher.key }), (error) => codes.test(error.code) && message.test(error.message), what);
  }
  const { url } = await collector(t, { status: 404, body: { code: "not-signed" } });
  await assert.rejects(Survey.fetch(address(url), { publisher: publisher.key }), { code: "no-answer", message: /status 404/ });
  // Without a pinned key, the fingerprint in the address stands for what was agreed to.
  const raised = await collector(t, { body: surveyText({ epsilon: "2" }) });
  await assert.rejects(Survey.fetch(address(raised.url)), { code: "mismatch" });
});

test("where signatures cannot be checked, nothing is taken for signed", async (t) => {
  const publisher = signer();
  const text = publisher.signed(makeSurvey());
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  t.after(() => Object.defineProperty(globalThis, "crypto", descriptor));
  const old = async () => { throw new DOMException("Unrecognized name", "NotSupportedError"); };
  for (const crypto of [undefined, { subtle: undefined }, { subtle: { importKey: old } }]) {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
    await assert.rejects(Survey.parseSigned(text, { publisher: publisher.key }), { code: "not-trusted", message: /cannot be checked here/ });
  }
});

/** A client of a collector with such a log, and what it has received. */
async function logged(t, log, { survey = makeSurvey(), ...options } = {}) {
  const { url, requests, said } = await collector(t, STORED);
  said.log = log;
  return { client: makeClient(survey, { url, patience, ...options }), requests, said, url };
}

const NOT_TRUSTED = { code: "not-trusted", message: /does not show every survey that was ever published there/ };

for (const [kind, make] of Object.entries(await ledgers())) {
  test(`${kind}: a log must continue the one that was seen`, { skip: typeof make === "string" ? make : false }, async (t) => {
    const open = make();
    const survey = makeSurvey();
    const later = makeSurvey({ name: "later" });
    const full = logOf([OTHERS[0], survey.digest, OTHERS[1], later.digest, OTHERS[2]]);
    const starts = [];
    let entries = full.slice(0, 3);
    const { client, requests, url } = await logged(t, (start) => (starts.push(start), { body: pageOf(entries, start, 2) }), { survey, ledger: open() });
    assert.equal((await client.report("yes")).state, "acknowledged");
    const [kept] = await open().transact((_, logs) => ({ write: [], result: logs }));
    assert.deepEqual([kept.url, kept.size, kept.surveys], [url, 3, [survey.digest]]);

    // Every other log is refused, for the known survey on another day and for a new one; nothing is drawn or sent.
    const fork = logOf([OTHERS[0], survey.digest, OTHERS[2], later.digest]);
    const dropped = logOf([survey.digest, OTHERS[1], later.digest, OTHERS[2]]);
    const swapped = full.map((entry, i) => (i === 1 ? { ...entry, publisher: "ab".repeat(32) } : entry));
    for (const log of [full.slice(0, 2), [], fork, dropped, swapped]) {
      entries = log;
      for (const asked of [survey, later]) {
        const other = makeClient(asked, { url, patience, ledger: open(), clock: () => "2026-11-20" });
        if (log === swapped && asked === survey) continue; // it asks only for what follows the head, which is right
        await assert.rejects(other.report("yes"), NOT_TRUSTED, JSON.stringify(log.map(({ survey: digest }) => digest[0])));
      }
    }
    assert.equal(requests.length, 1);
    assert.equal(await client.spent(), "1");

    // One that continues is taken: for a known survey only what follows is asked for.
    entries = full;
    starts.length = 0;
    assert.equal((await makeClient(survey, { url, patience, ledger: open(), clock: () => "2026-11-17" }).report("yes")).state, "acknowledged");
    assert.equal((await makeClient(later, { url, patience, ledger: open(), clock: () => "2026-11-18" }).report("yes")).state, "acknowledged");
    assert.deepEqual(starts, [3, 0, 2, 4]);
    const [now] = await open().transact((_, logs) => ({ write: [], result: logs }));
    assert.deepEqual([now.size, [...now.surveys].sort()], [5, [survey.digest, later.digest].sort()]);
  });
}

test("a collector without a log, or whose log does not have the survey, gets nothing", async (t) => {
  const survey = makeSurvey();
  const full = logOf([survey.digest, OTHERS[0]]);
  const right = pageOf(full, 0);
  const hostile = {
    "no log": [{ status: 404, body: { code: "no-such-route" } }, /it is not shown \(status 404\)/],
    "a log that is gone": [{ status: 410, body: "" }, /it is not shown/],
    "no survey": [{ body: pageOf(logOf(OTHERS), 0) }, /is not in the log of .*: others cannot see that it is asked/],
    "an empty log": [{ body: pageOf([], 0) }, /is not in the log/],
    "fewer entries than it says": [{ body: { ...right, size: 3 } }, /must be/],
    "more entries than it says": [{ body: { ...right, size: 1 } }, /must be/],
    "another head": [{ body: { ...right, head: "0".repeat(64) } }, /head must be that of its entries/],
    "no end": [{ body: { ...right, size: 10 ** 9 } }, /size must be a whole number/],
    "another form": [{ body: [] }, /must be an object/],
    "an entry of another form": [{ body: { ...right, entries: [1, 2] } }, /must be an object/],
  };
  for (const [what, [answer, message]] of Object.entries(hostile)) {
    const { client, requests } = await logged(t, () => answer, { survey });
    await assert.rejects(client.report("yes"), { code: "not-trusted", message }, what);
    assert.equal(requests.length, 0, what);
    assert.equal(await client.spent(), "0", what);
  }
});

test("where the log does not answer now, the report is kept and leaves when it was checked", async (t) => {
  const survey = makeSurvey();
  for (const answer of [{ status: 503, body: "" }, { status: 429, body: {} }, { body: "<html>Welcome to the hotel</html>" }, { status: 302, body: "" }]) {
    const { client, requests, said } = await logged(t, () => answer, { survey });
    const receipt = await client.report("yes");
    assert.deepEqual([receipt.state, receipt.code, requests.length], ["pending", "no-answer", 0]);
    said.log = () => ({ body: pageOf(logOf(OTHERS), 0) });
    await assert.rejects(client.send(), { code: "not-trusted" });
    assert.equal(requests.length, 0);
    said.log = () => ({ body: pageOf(logOf([survey.digest]), 0) });
    assert.deepEqual((await client.send()).map(({ state }) => state), ["acknowledged"]);
    assert.deepEqual(requests[0].body, Buffer.from(receipt.upload));
  }
});

test("two tabs that check at once keep the newer head", async (t) => {
  const ledger = new MemoryLedger();
  const survey = makeSurvey();
  const full = logOf([survey.digest, ...OTHERS]);
  let asked = 0;
  const { client, url } = await logged(t, (start) => ({ body: pageOf(full.slice(0, asked++ === 0 ? 2 : 4), start) }), { survey, ledger });
  const other = new Client(makeSurvey(), { url, patience, ledger, clock: () => DAY });
  const receipts = await Promise.all([client.report("yes"), other.report("yes")]);
  assert.deepEqual(receipts.map(({ state }) => state), ["acknowledged", "acknowledged"]);
  assert.deepEqual(await ledger.transact((_, logs) => ({ write: [], result: logs.map(({ size }) => size) })), [4]);
});

test("a survey that the collector does not have is refused before anything is drawn", async (t) => {
  const { client, requests, said } = await logged(t, () => ({ body: pageOf([], 0) }));
  said.about = { code: "unknown-survey" };
  await assert.rejects(client.report("yes"), { code: "unknown-survey" });
  assert.equal(requests.length, 0);
});

// Sending: the same bytes until an acknowledgement, whatever else answers; the report is kept, and one sentence says so.
import assert from "node:assert/strict";
import test from "node:test";
import { Client, Survey, toHex } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";
import { collector, DAY, makeClient, makeSurvey, STORED } from "./device.js";

const waits = [];
const patience = { timeout: 2, sleep: async (seconds) => void waits.push(seconds) };

/** Answers of a collector, the state and code of the report after them, how many attempts, and what is said. */
const CASES = {
  "at once": [[STORED], "acknowledged", "", 1, /^The collector has your report\.$/],
  "a report that was there already": [[{ body: { stored: 0, duplicates: 1 } }], "acknowledged", "", 1, /has your report/],
  "429, then taken": [[{ status: 429, body: { code: "rate-limited" } }, STORED], "acknowledged", "", 2, /has your report/],
  "503 for ever": [[{ status: 503 }], "pending", "status-503", 5, /is busy, so your report is kept on this device, and the same bytes are sent later\.$/],
  "a page of a gateway": [[{ body: "<html>Welcome to the hotel</html>" }], "pending", "no-acknowledgement", 1, /^Something other than the collector answered, so/],
  "502 with a page, then taken": [[{ status: 502, body: "<html>" }, STORED], "acknowledged", "", 2, /has your report/],
  "no answer": [["cut"], "pending", "no-answer", 5, /^The collector did not answer, so your report is kept/],
  "an answer that is cut, then taken": [["cut", STORED], "acknowledged", "", 2, /has your report/],
  "counts that are wrong": [[{ body: { stored: 1, duplicates: 1 } }], "pending", "no-acknowledgement", 1, /kept/],
  "counts that are not numbers": [[{ body: { stored: true, duplicates: 0 } }], "pending", "no-acknowledgement", 1, /kept/],
  "a redirection": [[{ status: 307, headers: { Location: "/elsewhere" } }], "pending", "status-307", 1, /kept/],
  "a clock that is ahead": [[{ status: 409, body: { code: "clock-skew" } }], "pending", "clock-skew", 1, /^The date of this device is ahead/],
  "a window that is over": [[{ status: 410, body: { code: "window-closed" } }], "refused", "window-closed", 1, /^The collector did not take your report \(the time to answer is over\)/],
  "an unknown survey": [[{ status: 404, body: { code: "unknown-survey" } }], "refused", "unknown-survey", 1, /unknown-survey/],
  "a code with another status": [[{ status: 400, body: { code: "unknown-survey" } }], "pending", "status-400", 1, /kept/],
  "no token": [[{ status: 403, body: { code: "not-allowed" } }], "pending", "not-allowed", 1, /wants a token/],
};

for (const [name, [answers, state, code, attempts, said]] of Object.entries(CASES)) {
  test(name, async (t) => {
    const { url, requests } = await collector(t, ...answers);
    const client = makeClient(makeSurvey(), { url, patience, token: "t0ken" });
    const receipt = await client.report("yes");
    assert.deepEqual([receipt.state, receipt.code, requests.length], [state, code, attempts]);
    const { status } = client.explain(receipt);
    assert.match(status, said);
    assert.ok(status.endsWith(".") && !status.slice(0, -1).includes(". "), "one sentence");
    for (const request of requests) {
      assert.equal(`${request.method} ${request.path}`, "POST /reports");
      assert.equal(request.body.toString("hex"), toHex(receipt.upload));
      assert.equal(request.headers["content-type"], "application/msgpack");
      assert.equal(request.headers.authorization, "Bearer t0ken");
      assert.equal(request.headers.cookie, undefined);
    }
    const again = await client.report("no");
    assert.equal(toHex(again.upload), toHex(receipt.upload));
    assert.equal(requests.length > attempts, state === "pending");
    assert.equal(await client.spent(), "1");
  });
}

test("Retry-After is waited for, as seconds or a date; too long a wait ends the attempts", async (t) => {
  const date = new Date(Date.now() + 45_000).toUTCString();
  const busy = (after) => ({ status: 429, headers: { "Retry-After": after }, body: { code: "rate-limited" } });
  const { url, requests } = await collector(t, busy("30"), busy(date), busy("soon"), STORED);
  waits.length = 0;
  const receipt = await makeClient(makeSurvey(), { url, patience }).report("yes");
  assert.equal(receipt.state, "acknowledged");
  assert.equal(requests.length, 4);
  assert.equal(waits[0], 30);
  assert.ok(waits[1] > 40 && waits[1] <= 45, String(waits[1]));
  assert.ok(waits[2] <= 4);
  const long = await collector(t, busy("3600"));
  assert.equal((await makeClient(makeSurvey(), { url: long.url, patience }).report("yes")).code, "rate-limited");
  assert.equal(long.requests.length, 1);
});

test("what is pending is sent at the next start, the same bytes", async (t) => {
  const { url, requests } = await collector(t, { status: 500 }, STORED);
  const ledger = new MemoryLedger();
  const survey = makeSurvey();
  const one = { ...patience, attempts: 1 };
  const receipt = await makeClient(survey, { url, ledger, patience: one }).report("yes");
  assert.equal(receipt.state, "pending");
  const later = makeClient(survey, { url, ledger, patience: one, clock: () => "2026-12-24" });
  const [sent] = await later.send();
  assert.equal(sent.state, "acknowledged");
  assert.equal(requests[1].body.toString("hex"), requests[0].body.toString("hex"));
  await later.send();
  assert.equal(requests.length, 2);
});

test("nobody pays for a survey that is closed, or that wants a token", async (t) => {
  const { url, requests, said } = await collector(t, STORED);
  const client = makeClient(makeSurvey(), { url, patience });
  said.about = { closed: true, upload: "open" };
  await assert.rejects(client.report("yes"), { name: "Refused", code: "survey-closed" });
  said.about = { closed: false, upload: "tokens" };
  await assert.rejects(client.report("yes"), { name: "Refused", code: "not-allowed" });
  assert.deepEqual([await client.spent(), requests.length], ["0", 0]);
  const dated = makeSurvey({ opens: "2026-11-17", closes: "2026-11-18" });
  await assert.rejects(makeClient(dated).report("yes"), { code: "clock-skew" });
  await assert.rejects(makeClient(dated, { clock: () => "2026-11-19" }).report("yes"), { code: "window-closed" });
});

test("of a value outside the domain a collector learns nothing", async (t) => {
  const { url } = await collector(t, STORED);
  const asked = t.mock.method(globalThis, "fetch");
  const client = makeClient(makeSurvey(), { url, patience });
  for (const value of ["perhaps", 1, undefined, null, ["yes"]]) await assert.rejects(client.report(value), { code: "invalid-value" });
  assert.deepEqual([asked.mock.callCount(), await client.spent()], [0, "0"]);
  await client.report("yes");
  assert.ok(asked.mock.callCount() >= 2);
});

test("a log that comes too slowly is no answer: the report is kept", async (t) => {
  const { url, requests, said } = await collector(t, STORED);
  const client = makeClient(makeSurvey(), { url, patience: { ...patience, attempts: 1 } });
  const whole = said.log;
  said.log = (start) => ({ body: { ...whole(start).body, entries: whole(start).body.entries.slice(0, 1) } });
  let now = 0;
  const clock = t.mock.method(performance, "now", () => (now += 40_000));
  const { state, code } = await client.report("yes");
  assert.deepEqual([state, code, requests.length], ["pending", "no-answer", 0]);
  clock.mock.restore();
  const [sent] = await client.send();
  assert.deepEqual([sent.state, requests.length, await client.spent()], ["acknowledged", 1, "1"]);
});

test("a report is withdrawn: not sent any more, deleted there, spent here", async (t) => {
  const { url, requests } = await collector(t, STORED, { status: 503 }, { body: { deleted: true } });
  const client = makeClient(makeSurvey(), { url, patience: { ...patience, attempts: 1 } });
  const receipt = await client.report("yes");
  const withdrawn = await client.withdraw(receipt);
  assert.deepEqual([withdrawn.state, withdrawn.code], ["withdrawn", "status-503"]);
  assert.match(client.explain(withdrawn).status, /not confirmed/);
  const [confirmed] = await client.send();
  assert.deepEqual([confirmed.state, confirmed.code], ["withdrawn", ""]);
  for (const { method, path } of requests.slice(1)) {
    assert.equal(`${method} ${path}`, `DELETE /surveys/${receipt.fingerprint}/reports/${toHex(receipt.id)}`);
  }
  assert.equal((await client.report("no")).state, "withdrawn");
  assert.deepEqual([requests.length, await client.spent()], [3, "1"]);
});

test("what never arrived is withdrawn too, and what was counted cannot be", async (t) => {
  const none = await collector(t, "cut", { status: 404, body: { code: "no-such-report" } });
  const client = makeClient(makeSurvey(), { url: none.url, patience: { ...patience, attempts: 1 } });
  const gone = await client.withdraw(await client.report("yes"));
  assert.deepEqual([gone.state, gone.code], ["withdrawn", ""]);
  const counted = await collector(t, STORED, { status: 409, body: { code: "scrubbed" } });
  const other = makeClient(makeSurvey(), { url: counted.url, patience });
  const kept = await other.withdraw(await other.report("yes"));
  assert.deepEqual([kept.state, kept.code], ["acknowledged", "scrubbed"]);
  assert.match(other.explain(kept).status, /can no longer delete it/);
});

test("a report that is withdrawn elsewhere while it is sent is deleted after it arrived", async (t) => {
  const { url, requests } = await collector(t, { status: 503 }, { status: 404, body: { code: "no-such-report" } });
  const ledger = new MemoryLedger();
  const survey = makeSurvey();
  const other = makeClient(survey, { url, ledger, patience: { ...patience, attempts: 1 } });
  const slow = { ...patience, sleep: async () => void (await other.withdraw((await other.receipts())[0])) };
  const receipt = await makeClient(survey, { url, ledger, patience: slow }).report("yes");
  assert.equal(receipt.state, "withdrawn");
  assert.deepEqual(requests.map(({ method }) => method), ["POST", "DELETE", "DELETE"]);
});

test("a survey is fetched from its address, and only that survey", async (t) => {
  const survey = makeSurvey();
  const { url, requests } = await collector(t, { body: survey.toJson() }, { body: survey.toJson() }, { status: 404 }, { body: "<html>" }, STORED);
  const fetched = await Survey.fetch(`${url}/surveys/${survey.fingerprint}`);
  assert.deepEqual([fetched.fingerprint, fetched.collector], [survey.fingerprint, url]);
  await assert.rejects(Survey.fetch(`${url}/surveys/${"0".repeat(32)}`), { code: "mismatch" });
  await assert.rejects(Survey.fetch(`${url}/surveys/${survey.fingerprint}`), { code: "no-answer" });
  await assert.rejects(Survey.fetch(`${url}/surveys/${survey.fingerprint}`), { code: "invalid-survey" });
  await assert.rejects(Survey.fetch(`${url}/surveys`), { code: "invalid-argument" });
  await assert.rejects(Survey.fetch("http://collector.example/surveys/x"), { code: "invalid-argument", message: /https/ });
  const receipt = await new Client(fetched, { ledger: new MemoryLedger(), clock: () => DAY }).report("yes");
  assert.equal(receipt.state, "acknowledged");
  assert.equal(requests.at(-1).path, "/reports");
});

// What tests of the device have in common: surveys, ledgers of every kind, a collector that says what it is told to.
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { digestOf } from "../dist/canonical.js";
import { BrowserLedger, Client, newId, Survey, toHex } from "../dist/index.js";
import { NodeLedger } from "../dist/device/nodeledger.js";
import { MemoryLedger } from "../dist/testing.js";

export { mechanismFiles, vectors } from "./support.js";

export const DAY = "2026-11-16";
/** Every survey that was made, in order: what the log of a collector here has. */
const PUBLISHED = [];

/** A survey of yes or no, drawn evenly, so that any epsilon holds. */
export function makeSurvey(parts) {
  const survey = Survey.parse(surveyText(parts));
  if (!PUBLISHED.includes(survey.digest)) PUBLISHED.push(survey.digest);
  return survey;
}

export function surveyText({ name = "pets", question = `What about ${name}?`, epsilon = "1", weights = [["1", "1"], ["1", "1"]], ...rest } = {}) {
  const domain = { kind: "categories", size: 2, values: ["yes", "no"], version: 1 };
  return JSON.stringify({
    survey: 2, name, question, window: "day", minimum_batch: 100, outside: "refuse", opens: "", closes: "", series: "",
    mechanism: { version: 2, mechanism: "table", epsilon, domain, options: {}, weights }, ...rest,
  });
}

/** A client of a survey in memory, on a day, that never waits. */
export function makeClient(survey, options = {}) {
  return new Client(survey, { ledger: new MemoryLedger(), clock: () => DAY, ...options });
}

/** Every kind of ledger that there is here, by name: a maker, whose ledgers share what they hold; or why there is none. */
export async function ledgers() {
  const kinds = { memory: () => { const ledger = new MemoryLedger(); return () => ledger; } };
  if (typeof document === "object") { // a browser, with the real one
    kinds.IndexedDB = () => { const name = `sottovoce ${toHex(newId())}`; return () => new BrowserLedger(name); };
    kinds["node:sqlite"] = "browsers have no node:sqlite";
    return kinds;
  }
  try {
    const { IDBFactory } = await import("fake-indexeddb");
    await import("fake-indexeddb/auto");
    kinds.IndexedDB = () => { globalThis.indexedDB = new IDBFactory(); return () => new BrowserLedger(); };
  } catch {
    kinds.IndexedDB = "fake-indexeddb is not installed: make js";
  }
  const missing = process.getBuiltinModule?.("node:sqlite") === undefined;
  kinds["node:sqlite"] = missing ? "node:sqlite is missing: it comes with Node 22.13" : () => { const folder = temporary(); return () => new NodeLedger(folder); };
  return kinds;
}

export function temporary() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sottovoce-"));
  process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The entries of a log of some surveys, by their digests. */
export function logOf(digests) {
  let previous = "0".repeat(64);
  return digests.map((survey, index) => {
    const entry = { fingerprint: survey.slice(0, 32), index, log: 1, previous, publisher: "", survey };
    previous = digestOf(new Map(Object.entries(entry)));
    return entry;
  });
}

/** What `GET /log?start=...` is answered with: a page of entries after `start`. */
export function pageOf(entries, start, most = 1000) {
  const last = entries[entries.length - 1];
  const head = last === undefined ? "0".repeat(64) : digestOf(new Map(Object.entries(last)));
  return { size: entries.length, head, entries: entries.slice(start, start + most) };
}

/** A collector on this machine. `answers` are given one after the other, the last one for ever; requests are kept. `said.log` makes a page of its log. */
export async function collector(t, ...answers) {
  const requests = [];
  const said = { about: {}, log: (start) => ({ body: pageOf(logOf(PUBLISHED), start) }) };
  const server = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    if (request.url.endsWith("/about")) {
      return void response.writeHead(200).end(JSON.stringify(said.about));
    }
    const logged = /\/log\?start=(\d+)$/.exec(request.url);
    if (logged !== null) {
      const { status = 200, body } = said.log(Number(logged[1]));
      return void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
    }
    requests.push({ method: request.method, path: request.url, headers: request.headers, body: Buffer.concat(pieces) });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === "cut") return void request.socket.destroy();
    const { status = 200, headers = {}, body = "" } = answer;
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, requests, said };
}

export const STORED = { body: { stored: 1, duplicates: 0 } };

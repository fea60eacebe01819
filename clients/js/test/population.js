// Many people who answer surveys, for tests of a collector: JSON on standard input says whom to ask what, standard output what came of it.
import fs from "node:fs";
import { Client, newId, Survey, systemWords, writeUpload } from "../dist/index.js";
import { MemoryLedger } from "../dist/testing.js";

/** Every value is a person with a client and a ledger of their own. */
async function clients(survey, values, limits) {
  const states = [];
  for (const value of values) {
    const client = new Client(survey, { ledger: new MemoryLedger(), scopes: ["edge", "sensitive answer"], ...limits });
    states.push((await client.report(value)).state);
  }
  return states;
}

/** The same draws, many in one upload, as a relay sends them. */
async function relay(survey, values, url) {
  const words = systemWords();
  const window = survey.windowOf(new Date().toISOString().slice(0, 10));
  const states = [];
  for (let start = 0; start < values.length; start += 1000) {
    const reports = values.slice(start, start + 1000).map((value) => ({ id: newId(), payload: survey.randomize(value, words) }));
    const body = writeUpload({ fingerprint: survey.fingerprint, window, reports });
    const answer = await fetch(`${url}/reports`, { method: "POST", headers: { "Content-Type": "application/msgpack" }, body });
    const { stored } = await answer.json();
    states.push(...Array(stored ?? 0).fill("acknowledged"));
  }
  return states;
}

const { url, asked } = JSON.parse(fs.readFileSync(0, "utf8"));
const outcome = {};
for (const { fingerprint, one_by_one, all_at_once, limits } of asked) {
  const survey = await Survey.fetch(`${url}/surveys/${fingerprint}`);
  const states = [...(await clients(survey, one_by_one, limits)), ...(await relay(survey, all_at_once, url))];
  outcome[fingerprint] = states.filter((state) => state === "acknowledged").length;
}
console.log(JSON.stringify(outcome));

import { digestOf } from "../canonical.js";
import { InvalidSurvey, NoAnswer, NotTrusted } from "../errors.js";
import { MOST_BYTES, readJson, type Json, type JsonObject } from "../json.js";
import { Section } from "../reading.js";
import type { Survey } from "../survey.js";
import type { Ledger, Log } from "./ledger.js";
import { ask, type Collector } from "./sending.js";

/** How many entries a log has, and the hash of the last. */
export interface LogHead {
  readonly size: number;
  readonly head: string;
}

/** The head of a log without entries. */
export const EMPTY: LogHead = { size: 0, head: "0".repeat(64) };

/** A longer log is refused: an endless one would keep a device busy for ever. */
const MOST_ENTRIES = 1_000_000;

/**
 * Refuse a collector whose log does not continue the one that this device has seen, or does not have the survey: nobody
 * is asked what others cannot see. `NoAnswer` where the collector does not answer now.
 */
export async function checkLog(collector: Collector, ledger: Ledger, survey: Survey): Promise<void> {
  const { url } = collector;
  const keptIn = (logs: readonly Log[]): Log => logs.find((log) => log.url === url) ?? { url, ...EMPTY, surveys: [] };
  for (;;) {
    const kept = await ledger.transact((_, logs) => ({ write: [], result: keptIn(logs) }));
    const known = kept.surveys.includes(survey.digest);
    const start = known ? kept : EMPTY;
    const { heads, surveys } = await readLog(collector, start);
    if (heads[kept.size - start.size] !== kept.head) throw broken(url, `its first ${kept.size} entries are not those that were there before`);
    if (!known && !surveys.has(survey.digest)) {
      throw new NotTrusted(`survey "${survey.name}" (${survey.fingerprint}) is not in the log of ${url}: others cannot see that it is asked, so it is not answered`);
    }
    const log: Log = { url, size: start.size + heads.length - 1, head: heads[heads.length - 1]!, surveys: known ? kept.surveys : [...kept.surveys, survey.digest] };
    const written = await ledger.transact((_, logs) => {
      const same = keptIn(logs).head === kept.head; // else another page or process has checked a newer one
      return { write: [], logs: same ? [log] : [], result: same };
    });
    if (written) return;
  }
}

/** The hash of one entry, which must be the next after a head. */
export function hashOf(entry: Json | undefined, { size, head }: LogHead): string {
  const found = new Section(entry, ["fingerprint", "index", "log", "previous", "publisher", "survey"], `entry ${size}`);
  found.whole("log", 1, 1);
  found.whole("index", size, size);
  found.require(found.get("previous") === head, "previous", "the hash of the entry before: one was changed or left out");
  const survey = found.digits("survey", 64);
  found.require(found.get("fingerprint") === survey.slice(0, 32), "fingerprint", "that of the survey");
  if (found.get("publisher") !== "") found.digits("publisher", 64);
  return digestOf(found.items);
}

/** The heads from `start` on, one more after every entry, and the surveys in these entries. */
async function readLog(collector: Collector, start: LogHead): Promise<{ heads: string[]; surveys: Set<unknown> }> {
  const heads = [start.head];
  const surveys = new Set<unknown>();
  for (;;) {
    const at = start.size + heads.length - 1;
    const page = await readPage(collector, at);
    try {
      const found = new Section(page, ["entries", "head", "size"], "the log");
      const size = found.whole("size", at, MOST_ENTRIES);
      const entries = found.list("entries");
      for (const entry of entries) {
        heads.push(hashOf(entry, { size: start.size + heads.length - 1, head: heads[heads.length - 1]! }));
        surveys.add((entry as JsonObject).get("survey"));
      }
      const read = at + entries.length;
      found.require(read === size || (read < size && entries.length > 0), "entries", `all ${size} that it says it has`);
      if (read < size) continue;
      found.require(found.get("head") === heads[heads.length - 1], "head", "that of its entries");
      return { heads, surveys };
    } catch (error) {
      throw error instanceof InvalidSurvey ? broken(collector.url, error.message) : error;
    }
  }
}

/** The entries of a log from one on, as a collector gives them. */
async function readPage(collector: Collector, start: number): Promise<Json> {
  const { status, body } = await ask(collector, `/log?start=${start}`, { most: MOST_BYTES });
  if (status === 404 || status === 410) throw broken(collector.url, `it is not shown (status ${status})`);
  try {
    if (status === 200) return readJson(body);
  } catch {
    // a page of a gateway
  }
  throw new NoAnswer(`the collector gave no log: status ${status}`);
}

function broken(url: string, why: string): NotTrusted {
  return new NotTrusted(`the log of ${url} does not show every survey that was ever published there: ${why}. Nothing is sent`);
}

import { digestOf } from "../canonical.js";
import { InvalidSurvey, NoAnswer, NotTrusted } from "../errors.js";
import { MOST_BYTES, readJson, type Json } from "../json.js";
import { Section } from "../reading.js";
import type { Survey } from "../survey.js";
import type { Ledger, Log } from "./ledger.js";
import { ask, type Collector } from "./sending.js";

/** How many entries a log has, and the hash of the last. */
export interface LogHead {
  readonly size: number;
  readonly head: string;
}

/** A head and the digest of the survey that the last entry is about. */
export interface Entry extends LogHead {
  readonly survey?: string;
}

/** The head of a log without entries. */
const EMPTY: LogHead = { size: 0, head: "0".repeat(64) };

/** A longer log is refused: an endless one would keep a device busy for ever. */
const MOST_ENTRIES = 1_000_000;
/** For the whole log: a collector that gives one entry at a time, slowly, does not answer. */
const MOST_SECONDS = 60;

/**
 * Refuse a collector whose log does not continue the one that this device has seen, or does not have the survey: nobody
 * is asked what others cannot see. `NoAnswer` where the collector does not answer now.
 */
export async function checkLog(collector: Collector, ledger: Ledger, survey: Survey): Promise<void> {
  const { url } = collector;
  const keptIn = (logs: readonly Log[]): Log => logs.find((log) => log.url === url) ?? { url, ...EMPTY, surveys: [] };
  for (;;) {
    const kept = await ledger.transact((_, logs) => ({ result: keptIn(logs) }));
    const known = kept.surveys.includes(survey.digest);
    const entries = await readLog(collector, known ? kept : EMPTY);
    if (!entries.some(({ head }) => head === kept.head)) throw broken(url, `its first ${kept.size} entries are not those that were there before`);
    if (!known && !entries.some((entry) => entry.survey === survey.digest)) {
      throw new NotTrusted(`${survey} (${survey.fingerprint}) is not in the log of ${url}: others cannot see that it is asked, so it is not answered`);
    }
    const { size, head } = entries[entries.length - 1]!;
    const surveys = known ? kept.surveys : [...kept.surveys, survey.digest];
    const written = await ledger.transact((_, logs) => {
      const same = keptIn(logs).head === kept.head; // else another page or process has checked a newer one
      return { logs: same ? [{ url, size, head, surveys }] : [], result: same };
    });
    if (written) return;
  }
}

/** One entry of a log, which must be the next after a head. */
export function follow({ size, head }: LogHead, entry: Json): Entry {
  const found = new Section(entry, ["fingerprint", "index", "log", "previous", "publisher", "survey"], `entry ${size}`);
  found.whole("log", 1, 1);
  found.whole("index", size, size);
  found.require(found.get("previous") === head, "previous", "the hash of the entry before: one was changed or left out");
  const survey = found.digits("survey", 64);
  found.require(found.get("fingerprint") === survey.slice(0, 32), "fingerprint", "that of the survey");
  if (found.get("publisher") !== "") found.digits("publisher", 64);
  return { size: size + 1, head: digestOf(found.items), survey };
}

/** The entries of a collector's log after a head, which is the first of them. */
async function readLog(collector: Collector, start: LogHead): Promise<Entry[]> {
  const read: Entry[] = [start];
  let last: Entry = start;
  const end = performance.now() + 1000 * MOST_SECONDS;
  try {
    for (;;) {
      const page = await readPage(collector, last.size);
      if (performance.now() > end) throw new NoAnswer("the collector's log did not come in time");
      const size = page.whole("size", last.size, MOST_ENTRIES);
      const entries = page.list("entries");
      for (const entry of entries) read.push((last = follow(last, entry)));
      page.require(last.size === size || (last.size < size && entries.length > 0), "entries", `all ${size} that it says it has`);
      if (last.size < size) continue;
      page.require(page.get("head") === last.head, "head", "that of its entries");
      return read;
    }
  } catch (error) {
    throw error instanceof InvalidSurvey ? broken(collector.url, error.message) : error;
  }
}

/** What a collector shows of its log from an entry on. */
async function readPage(collector: Collector, start: number): Promise<Section> {
  const { status, body } = await ask(collector, `/log?start=${start}`, { most: MOST_BYTES });
  if (status === 404 || status === 410) throw broken(collector.url, `it is not shown (status ${status})`);
  let json: Json;
  try {
    json = readJson(body);
  } catch {
    json = null; // a page of a gateway
  }
  if (status !== 200 || json === null) throw new NoAnswer(`the collector gave no log: status ${status}`);
  return new Section(json, ["entries", "head", "size"], "the log");
}

function broken(url: string, why: string): NotTrusted {
  return new NotTrusted(`the log of ${url} does not show every survey that was ever published there: ${why}. Nothing is sent`);
}

// The collector's side, for tests only: decodes an upload, and says the first thing that is wrong with it.
import { fieldBytes, numberBytes } from "../dist/fields.js";
import { readJson } from "../dist/json.js";
import { windowDays } from "../dist/index.js";
import { fromHex, toHex } from "../dist/bytes.js";
import { Malformed, readMsgpack } from "./msgpack.js";

const MOST_BYTES = 1 << 20;
const MOST_REPORTS = 10_000;

/** Whether a payload is what the fields say: its length, every number in range, spare bits 0. */
export function checkPayload(fields, payload) {
  if (payload.length !== fields.reduce((sum, field) => sum + fieldBytes(field), 0)) return false;
  let at = 0;
  const number = (size) => {
    let value = 0n;
    for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(payload[at + i]);
    at += size;
    return value;
  };
  for (const field of fields) {
    if (field.kind === "bits") {
      at += fieldBytes(field);
      if (field.count % 8 !== 0 && payload[at - 1] >> field.count % 8 !== 0) return false;
    } else {
      const count = field.kind === "row" ? field.count : 1;
      for (let i = 0; i < count; i++) if (number(numberBytes(field.below)) >= field.below) return false;
    }
  }
  return true;
}

/** A refusal: a code, and where one report is at fault its position. */
class Refused extends Error {
  constructor(code, position = null) {
    super(code);
    this.code = code;
    this.position = position;
  }
}

/** Takes an upload of surveys by fingerprint, or says the code and position of its refusal. */
export function receive(bytes, form, surveys) {
  try {
    if (bytes.length > MOST_BYTES) throw new Refused("too-large");
    const parts = form === "json" ? fromJson(parse(() => readJson(bytes))) : fromMsgpack(parse(() => readMsgpack(bytes)));
    return { upload: check(parts, surveys) };
  } catch (error) {
    if (error instanceof Refused) return { code: error.code, position: error.position };
    throw error;
  }
}

function parse(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed || error.name === "InvalidSurvey") throw new Refused("malformed");
    throw error;
  }
}

function need(condition, code = "malformed", position = null) {
  if (!condition) throw new Refused(code, position);
}

/** The four parts, whatever the form: version and then as [fingerprint bytes, window, reports]. */
function fromMsgpack(value) {
  const items = value?.array;
  need(items !== undefined && typeof items[0] === "bigint");
  need(items[0] === 2n, "wrong-version");
  need(items.length === 4);
  const [, fingerprint, window, reports] = items;
  return {
    fingerprint: fingerprint?.bytes,
    window: window?.text,
    reports: reports?.array?.map((report) => report?.array?.map((one) => one?.bytes)),
  };
}

function fromJson(value) {
  need(value instanceof Map && typeof value.get("version") === "number");
  need(value.get("version") === 2, "wrong-version");
  need(value.size === 4 && ["fingerprint", "window", "reports"].every((key) => value.has(key)));
  const reports = value.get("reports");
  const bytes = (text) => (typeof text === "string" && /^(?:[0-9a-f]{2})*$/.test(text) ? fromHex(text) : undefined);
  const pairs = Array.isArray(reports) ? reports.map((report, i) => pairOf(report, i, bytes)) : undefined;
  const window = value.get("window");
  return { fingerprint: bytes(value.get("fingerprint")), window: typeof window === "string" ? window : undefined, reports: pairs };
}

function pairOf(report, i, bytes) {
  if (!(report instanceof Map)) return undefined; // refused in its turn, after the fingerprint and the window
  need(report.has("payload") && report.size === (report.has("id") ? 2 : 1), "malformed", i);
  return [bytes(report.get("id")), bytes(report.get("payload"))];
}

function check({ fingerprint, window, reports }, surveys) {
  need(fingerprint?.length === 16);
  need(window !== undefined);
  need(reports !== undefined && reports.length > 0);
  need(reports.length <= MOST_REPORTS, "too-large");
  reports.forEach((report, i) => {
    need(report?.length === 2, "malformed", i);
    need(report[0]?.length === 16, "no-id", i);
    need(report[1] !== undefined, "wrong-payload", i);
  });
  const survey = surveys.get(toHex(fingerprint));
  need(survey !== undefined, "unknown-survey");
  need(windowDays(survey.window, window) !== undefined);
  reports.forEach(([, payload], i) => need(checkPayload(survey.mechanism.fields, payload), "wrong-payload", i));
  return { fingerprint: toHex(fingerprint), window, reports: reports.map(([id, payload]) => ({ id, payload })) };
}

/** What a collector's clock says of a window: empty where its reports are taken. */
export function clockCode(kind, name, opens, closes, today) {
  const days = windowDays(kind, name);
  const first = opens > days.first ? opens : days.first;
  const last = closes !== "" && closes < days.last ? closes : days.last;
  if (first > last || today > last) return "window-closed";
  return today < first ? "clock-skew" : "";
}

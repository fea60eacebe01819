// Surveys that ask the same people again, for tests of the device.
import { Survey } from "../dist/index.js";
import { makeClient, makeSurvey } from "./device.js";

export const WIDE = { maxEpsilon: 1e9, dayEpsilon: 1e9, nameEpsilon: 1e9, questionEpsilon: 1e9, seriesEpsilon: 1e9, publisherEpsilon: 1e9, totalEpsilon: 1e9 };
export const COLORS = ["red", "green", "blue", "other"];

/** The day some days after Monday, 16 November 2026. */
export function day(step) {
  return new Date(Date.UTC(2026, 10, 16 + step)).toISOString().slice(0, 10);
}

/** A client on that day. */
export function onDay(step, survey, ledger, options = {}) {
  return makeClient(survey, { ledger, clock: () => day(step), ...options });
}

/** Of version 3 where one of its keys is not the default. */
export function repeated({ ask = "1", changes = 0, period = 0, ...parts }) {
  const again = ask !== "1" || changes > 0 || period > 0;
  return makeSurvey(again ? { survey: 3, ask, changes, period, ...parts } : parts);
}

export function cohorts(name = "daily", ask = "1/7", more = {}) {
  return repeated({ name, ask, ...more });
}

/** Weights of randomized response, 2^62 in all: `other` is a little larger than it must be, so that the ratio holds. */
function response(other, size) {
  const weight = BigInt(Math.ceil(2 ** 62 * other * (1 + 1e-9)));
  return { keep: String(2n ** 62n - BigInt(size) * weight), other: String(weight) };
}

/** A survey of colors that devices answer from memory. */
export function remembering({ name = "colors", epsilon = 1, lifetime = 2, values = COLORS, ...more } = {}) {
  const size = values.length;
  const [one, all] = [Math.exp(epsilon), Math.exp(lifetime)];
  const above = (all - one) / (all + size - 1);
  const domain = { kind: "categories", size, values, version: 1 };
  const inner = { mechanism: "randomized-response", options: { bits: 62 } };
  const options = { half: false, inner, lifetime: String(lifetime), linkable: false };
  const weights = { permanent: response(1 / (all + size - 1), size), fresh: response(above / (size * above + one - 1), size) };
  return repeated({ name, mechanism: { version: 2, mechanism: "memoized", epsilon: String(epsilon), domain, options, weights }, ...more });
}

/** The values that were reported: with a lifetime of 20 and an epsilon of 19.9 they are the memos, but once in millions of reports. */
export const CLEAR = { epsilon: 19.9, lifetime: 20 };

/** The survey again under another name, question or rules, as its publisher would publish it. */
export function again(survey, change) {
  return Survey.parse(JSON.stringify({ ...JSON.parse(survey.toJson()), ...change }));
}

/** What a ledger keeps. */
export function known(ledger) {
  return ledger.transact((rows, logs, memories) => ({ result: { rows: [...rows], ...memories } }));
}

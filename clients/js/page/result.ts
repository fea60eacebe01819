import { BrowserLedger, toHex, type Client, type Receipt } from "@sottovoce/client";
import { button, fold, foreign, make, table, type Content } from "./dom.js";
import { TEXTS, windowText } from "./texts.js";

/** What a person can do about a report that was drawn. */
export interface Steps {
  /** Send once more, or ask once more that it is deleted. */
  retry(): Promise<void>;
  withdraw(): Promise<void>;
}

/** What became of a report: first what can be done about it, and closed until it is opened, what it says. */
export async function resultOf(client: Client, receipt: Receipt, steps: Steps): Promise<Content[]> {
  const { report, parts } = client.explain(receipt);
  const bytes = parts.map((part) => [part.name, code(part.bytes), foreign(part.words)]);
  return [
    ...(isOpen(receipt) ? [button(TEXTS.retry, steps.retry)] : []),
    make("p", {}, await costOf(client, receipt)),
    ...(canWithdraw(receipt) ? [fold(TEXTS.withdraw, make("p", {}, TEXTS.withdrawing), button(TEXTS.withdrawNow, steps.withdraw))] : []),
    fold(TEXTS.content, make("p", {}, foreign(report)), table(TEXTS.content, TEXTS.bytes, bytes)),
  ];
}

/** What a report cost, and when there is a next one. */
async function costOf(client: Client, { epsilon }: Receipt): Promise<string> {
  const { survey } = client;
  const { memory } = survey.mechanism;
  const spent = await client.spent();
  const cost = memory !== undefined && epsilon === "0" ? TEXTS.paid(spent) : TEXTS.cost(epsilon, spent);
  const again = survey.cohorts > 1 ? `${TEXTS.asked} ${TEXTS.next(survey, await client.nextAsked())}` : TEXTS.again[survey.window];
  return `${cost} ${again}${memory === undefined ? "" : ` ${TEXTS.same}`}`;
}

/** All that this browser sent to this site, of whatever survey, the newest first; nothing where it sent nothing. */
export async function historyOf(): Promise<Content[]> {
  const rows = await new BrowserLedger().transact((found) => ({ write: [], result: [...found] }));
  const lines = rows.sort((a, b) => (a.day < b.day ? 1 : -1)).map((row) => [foreign(row.survey), windowText(row), row.epsilon, TEXTS.states[row.state], code(toHex(row.upload))]);
  if (lines.length === 0) return [];
  return [fold(`${TEXTS.sent} (${lines.length})`, make("p", {}, TEXTS.origin), table(TEXTS.sent, TEXTS.rows, lines))];
}

/** Whether something is still to be done with the collector. */
export function isOpen({ state, code }: Receipt): boolean {
  return state === "pending" || (state === "withdrawn" && code !== "");
}

function canWithdraw({ state, code }: Receipt): boolean {
  return state === "pending" || (state === "acknowledged" && code !== "scrubbed");
}

function code(hex: string): HTMLElement {
  return make("code", {}, hex);
}

import { systemWords } from "../words.js";
import { NoAnswer } from "../errors.js";
import { exchange, readObject, type Answer, type Request } from "./http.js";
import type { State } from "./ledger.js";

/** How long to go on: attempts in all, seconds of waiting in all, seconds for one attempt. */
export interface Patience {
  readonly attempts: number;
  readonly waiting: number;
  readonly timeout: number;
  /** Waits for some seconds. */
  sleep(seconds: number): Promise<void>;
}

/** The patience where a program asks for no other. */
export const PATIENCE: Patience = {
  attempts: 5,
  waiting: 120,
  timeout: 10,
  sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds)),
};

/** What came of an attempt: the state, a code why, and whether and when the same bytes may be taken. */
interface Outcome {
  readonly state: State;
  readonly code: string;
  readonly again?: boolean;
  readonly wait?: number;
}

/** Where a report goes. */
export interface Collector {
  readonly url: string;
  readonly token: string | undefined;
  readonly patience: Patience;
}

const LONGEST_ANSWER = 2 ** 16;
/** Statuses after which the same bytes may be taken a moment later. */
const AGAIN = [408, 429, 500, 502, 503, 504, 507];
/** The wire's refusals after which sending again is in vain, with their status, and the others. */
const FINAL: Record<string, number> = {
  "unknown-survey": 404, "wrong-version": 400, malformed: 400, "wrong-payload": 422, "no-id": 422, "too-large": 413, "window-closed": 410,
};
const PASSING: Record<string, number> = { "clock-skew": 409, "not-allowed": 403, "rate-limited": 429 };

/**
 * Send an upload of one report until it is acknowledged or refused, patience ends, or `wanted` says that it is not to be
 * sent. Where `wanted` throws `NoAnswer` it is asked again later.
 */
export function deliver(collector: Collector, upload: Uint8Array, wanted: () => Promise<boolean>): Promise<Outcome> {
  const headers: Record<string, string> = { "Content-Type": "application/msgpack" };
  if (collector.token !== undefined) headers.Authorization = `Bearer ${collector.token}`;
  return repeat(collector, "pending", wanted, async () => {
    const answer = await ask(collector, "/reports", { method: "POST", headers, body: upload });
    const { code, stored, duplicates } = readObject(answer);
    if (answer.status < 200 || answer.status >= 300) return refusal(answer, code);
    const one = (stored === 1 && duplicates === 0) || (stored === 0 && duplicates === 1);
    return one ? { state: "acknowledged", code: "" } : { state: "pending", code: "no-acknowledgement" };
  });
}

/** Have a report deleted: withdrawn with an empty code once the collector has it no more, or still acknowledged where it cannot. */
export function remove(collector: Collector, fingerprint: string, id: string): Promise<Outcome> {
  return repeat(collector, "withdrawn", async () => true, async () => {
    const answer = await ask(collector, `/surveys/${fingerprint}/reports/${id}`, { method: "DELETE" });
    const { status } = answer;
    const { code, deleted } = readObject(answer);
    if (status === 409 && code === "scrubbed") return { state: "acknowledged", code };
    const gone = status === 200 ? deleted === true : status === 404 && (code === "no-such-report" || code === "unknown-survey");
    return { ...refusal(answer, code), state: "withdrawn", code: gone ? "" : `status-${status}` };
  });
}

/** What a collector says of a survey, or an empty object where it says nothing. */
export async function about(collector: Collector, fingerprint: string): Promise<Record<string, unknown>> {
  const answer = await ask(collector, `/surveys/${fingerprint}/about`);
  const said = readObject(answer);
  return answer.status === 200 || said.code === "unknown-survey" ? said : {};
}

/** One request to a collector, or `NoAnswer`. */
export function ask({ url, patience }: Collector, path: string, request: Partial<Request> = {}): Promise<Answer> {
  return exchange(url + path, { seconds: patience.timeout, most: LONGEST_ANSWER, ...request });
}

/** Attempt until it makes no sense to go on; before each a random time up to 1, 2, 4, ... seconds, or as long as Retry-After asks. */
async function repeat({ patience }: Collector, state: State, wanted: () => Promise<boolean>, attempt: () => Promise<Outcome>): Promise<Outcome> {
  let outcome: Outcome = { state, code: "" };
  let waited = 0;
  for (let done = 0; done < patience.attempts; done++) {
    try {
      if (!(await wanted())) break;
      outcome = await attempt();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      outcome = { state, code: "no-answer", again: true };
    }
    if (outcome.again !== true || done === patience.attempts - 1) break;
    const part = Number(systemWords().next()) / 2 ** 64;
    const wait = Math.max(outcome.wait ?? 0, part * Math.min(60, 2 ** done));
    waited += wait;
    if (waited > patience.waiting) break;
    await patience.sleep(wait);
  }
  return outcome;
}

function refusal(answer: Answer, code: unknown): Outcome {
  const { status, headers } = answer;
  const name = String(code);
  if (FINAL[name] === status) return { state: "refused", code: name };
  const known = PASSING[name] === status;
  return { state: "pending", code: known ? name : `status-${status}`, again: AGAIN.includes(status), wait: retryAfter(headers.get("Retry-After")) };
}

/** Seconds to wait, of a number of them or a date; 0 where it says neither. */
function retryAfter(text: string | null): number {
  const number = Number(text); // 0 where there is no text
  const seconds = Number.isNaN(number) ? (Date.parse(text!) - Date.now()) / 1000 : number;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

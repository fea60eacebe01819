import { systemWords } from "../words.js";
import { NoAnswer } from "../errors.js";
import { exchange, readObject, type Answer } from "./http.js";
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
/** The wire's refusals: their status, and whether sending again is in vain. */
const REFUSALS = new Map<unknown, readonly [number, boolean]>([
  ["unknown-survey", [404, true]], ["wrong-version", [400, true]], ["malformed", [400, true]], ["wrong-payload", [422, true]],
  ["no-id", [422, true]], ["too-large", [413, true]], ["window-closed", [410, true]], ["clock-skew", [409, false]],
  ["not-allowed", [403, false]], ["rate-limited", [429, false]],
]);

/** Send an upload of one report until it is acknowledged or refused, patience ends, or `wanted` says that it is not to be sent. */
export function deliver(collector: Collector, upload: Uint8Array, wanted: () => Promise<boolean>): Promise<Outcome> {
  const headers: Record<string, string> = { "Content-Type": "application/msgpack" };
  if (collector.token !== undefined) headers.Authorization = `Bearer ${collector.token}`;
  return repeat(collector, wanted, async () => {
    const answer = await ask(collector, "/reports", "POST", headers, upload);
    if (answer === undefined) return NO_ANSWER;
    const found = readObject(answer);
    if (answer.status < 200 || answer.status >= 300) return refusal(answer, found.code);
    const counts = [found.stored, found.duplicates];
    const one = counts.every((count) => count === 0 || count === 1) && counts[0] !== counts[1];
    return one ? { state: "acknowledged", code: "" } : { state: "pending", code: "no-acknowledgement" };
  });
}

/** Have a report deleted: withdrawn with an empty code once the collector has it no more, or still acknowledged where it cannot. */
export function remove(collector: Collector, fingerprint: string, id: string): Promise<Outcome> {
  return repeat(collector, async () => true, async () => {
    const answer = await ask(collector, `/surveys/${fingerprint}/reports/${id}`, "DELETE", {});
    if (answer === undefined) return { ...NO_ANSWER, state: "withdrawn" };
    const { code, deleted } = readObject(answer);
    const { again = false, wait = 0 } = refusal(answer, code);
    if (answer.status === 200 && deleted === true) return { state: "withdrawn", code: "" };
    if (answer.status === 404 && (code === "no-such-report" || code === "unknown-survey")) return { state: "withdrawn", code: "" };
    if (answer.status === 409 && code === "scrubbed") return { state: "acknowledged", code };
    return { state: "withdrawn", code: `status-${answer.status}`, again, wait };
  });
}

/** What a collector says of a survey, or an empty object where it says nothing. */
export async function about(collector: Collector, fingerprint: string): Promise<Record<string, unknown>> {
  const answer = await ask(collector, `/surveys/${fingerprint}/about`, "GET", {});
  return answer?.status === 200 ? readObject(answer) : {};
}

const NO_ANSWER: Outcome = { state: "pending", code: "no-answer", again: true };

async function ask({ url, patience }: Collector, path: string, method: string, headers: Record<string, string>, body?: Uint8Array): Promise<Answer | undefined> {
  try {
    return await exchange(url + path, { method, headers, seconds: patience.timeout, most: LONGEST_ANSWER, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

/** Attempt until it makes no sense to go on; before each a random time up to 1, 2, 4, ... seconds, or as long as Retry-After asks. */
async function repeat({ patience }: Collector, wanted: () => Promise<boolean>, attempt: () => Promise<Outcome>): Promise<Outcome> {
  let outcome: Outcome = { state: "pending", code: "" };
  let waited = 0;
  for (let done = 0; done < patience.attempts && (await wanted()); done++) {
    outcome = await attempt();
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
  const [status, final] = REFUSALS.get(code) ?? [-1, false]; // 0 is what browsers show of a redirection
  const known = status === answer.status;
  if (known && final) return { state: "refused", code: String(code) };
  const again = AGAIN.includes(answer.status);
  return { state: "pending", code: known ? String(code) : `status-${answer.status}`, again, wait: retryAfter(answer.headers.get("Retry-After")) };
}

/** Seconds to wait, of a number of them or a date; 0 where it says neither. */
function retryAfter(text: string | null): number {
  if (text === null || text.trim() === "") return 0;
  const seconds = Number.isNaN(Number(text)) ? (Date.parse(text) - Date.now()) / 1000 : Number(text);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

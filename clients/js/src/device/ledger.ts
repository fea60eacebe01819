import { toHex } from "../bytes.js";
import { OverBudget } from "../errors.js";
import { newId } from "../words.js";
import { refusalOf, type Limits } from "./budget.js";
import type { Charge } from "./charge.js";
import type { LogHead } from "./logcheck.js";
import type { DeviceMemory, Memories, MemoryChange } from "./memory.js";

/**
 * What became of a report: `pending` (spent, not acknowledged), `acknowledged` (the collector has it), `refused`
 * (it never takes it), `withdrawn` (not sent any more, and to be deleted there), or `not-asked` (nothing was drawn, as the
 * window asks other devices).
 */
export type State = "pending" | "acknowledged" | "refused" | "withdrawn" | "not-asked";

/** One report of this device. `upload` is what is sent, byte for byte the same every time; `code` says what came of the last attempt. */
export interface Receipt {
  readonly fingerprint: string;
  readonly window: string;
  readonly survey: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly id: Uint8Array;
  readonly upload: Uint8Array;
  readonly state: State;
  readonly code: string;
}

/** A row of a ledger: a report and all it is charged with. The answer is never in it. */
export interface Row extends Receipt, Charge {}

/** Which start of the machine this is, and the seconds since; where that is not known, of this page or process. */
export interface Elapsed {
  readonly boot: string;
  readonly seconds: number;
}

/** What a device keeps of a collector's log: its head, and the digests of the surveys that were found in it. */
export interface Log extends LogHead {
  readonly url: string;
  readonly surveys: readonly string[];
}

/** Rows to write, and what to return once they are on the disk. */
export interface Change<T> extends MemoryChange {
  readonly write?: readonly Row[];
  readonly logs?: readonly Log[];
  readonly result: T;
}

/** What one transaction does. */
export type Changing<T> = (rows: readonly Row[], logs: readonly Log[], known: Memories) => Change<T>;

/** Where a device remembers what it has spent and sent. One ledger serves all surveys of a device. */
export interface Ledger {
  /**
   * Show all rows, logs and memories to `change`, and write those it returns in place of the rows with the same fingerprint and
   * window, and of the logs with the same address; add what it keeps, and take out what it forgets. All of it is one transaction
   * that no other page or process enters, and `change` is synchronous: there is no moment
   * at which two draw. The promise resolves when all is on the disk. Where `change` throws, nothing is written.
   */
  transact<T>(change: Changing<T>): Promise<T>;
  /** Time that no setting of the clock changes. */
  elapsed(): Elapsed;
}

/** Where neither the system nor the browser says when it started, each page or process counts as one start. */
export function ownElapsed(): Elapsed {
  if (boot === "") boot = toHex(newId());
  return { boot, seconds: performance.now() / 1000 };
}
let boot = "";

/** The row of a survey and window. */
export function find(rows: readonly Row[], { fingerprint, window }: { fingerprint: string; window: string }): Row | undefined {
  return rows.find((row) => row.fingerprint === fingerprint && row.window === window);
}

/** The receipt in a row. */
export function receiptOf({ fingerprint, window, survey, epsilon, delta, id, upload, state, code }: Receipt): Receipt {
  return { fingerprint, window, survey, epsilon, delta, id, upload, state, code };
}

/**
 * The report of a survey and window: the stored one, else one that `draw` makes, if the budget allows it. It costs nothing
 * more where `memory` has begun.
 */
export async function spend(
  ledger: Ledger, first: Charge, limits: Limits, pinned: boolean, memory: DeviceMemory | undefined,
  draw: (known: Memories) => MemoryChange & { id: Uint8Array; upload: Uint8Array },
): Promise<Row> {
  const found = await ledger.transact<Row | OverBudget>((rows, _, known) => {
    const charge = memory !== undefined && memory.stored(known).length > 0 ? { ...first, epsilon: "0" } : first;
    const stored = find(rows, charge);
    if (stored !== undefined) return { result: stored };
    // A later date was wrong: by this one, what was drawn then was drawn today.
    const late = rows.filter((row) => row.day > charge.day).map((row) => ({ ...row, day: charge.day }));
    const before = rows.map((row) => find(late, row) ?? row);
    const refused = refusalOf(limits, charge, before, pinned);
    if (refused !== undefined) return { write: late, result: refused };
    const { id, upload, ...drawn } = draw(known);
    const row: Row = { ...charge, id, upload, state: "pending", code: "" };
    return { ...drawn, write: [...late, row], result: row };
  });
  if (found instanceof OverBudget) throw found;
  return found;
}

/** Write what became of a report, if it is still in one of the states `from`; the row as it is then. */
export function settle(ledger: Ledger, receipt: Receipt, from: readonly State[], state: State, code: string): Promise<Row | undefined> {
  return ledger.transact((rows) => {
    const stored = find(rows, receipt);
    if (stored === undefined || !from.includes(stored.state)) return { result: stored };
    const row = { ...stored, state, code };
    return { write: [row], result: row };
  });
}

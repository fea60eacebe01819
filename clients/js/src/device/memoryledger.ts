import { find, ownElapsed, type Changing, type Elapsed, type Ledger, type Log, type Row } from "./ledger.js";
import type { Memories } from "./memory.js";

/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger implements Ledger {
  private rows: readonly Row[] = [];
  private logs: readonly Log[] = [];
  private known: Memories = { kept: [], memos: [] };

  elapsed(): Elapsed {
    return ownElapsed();
  }

  async transact<T>(change: Changing<T>): Promise<T> {
    const { write = [], logs = [], kept = [], memos = [], forget = [], result } = change(this.rows, this.logs, this.known);
    this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
    this.logs = [...this.logs.filter(({ url }) => logs.every((log) => log.url !== url)), ...logs];
    this.known = { kept: [...this.known.kept, ...kept], memos: [...this.known.memos.filter((one) => !forget.includes(one)), ...memos] };
    return result;
  }
}

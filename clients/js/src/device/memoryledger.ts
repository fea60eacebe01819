import { find, ownElapsed, type Change, type Elapsed, type Ledger, type Log, type Row } from "./ledger.js";

/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger implements Ledger {
  private rows: readonly Row[] = [];
  private logs: readonly Log[] = [];

  elapsed(): Elapsed {
    return ownElapsed();
  }

  async transact<T>(change: (rows: readonly Row[], logs: readonly Log[]) => Change<T>): Promise<T> {
    const { write = [], logs = [], result } = change(this.rows, this.logs);
    this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
    this.logs = [...this.logs.filter(({ url }) => logs.every((log) => log.url !== url)), ...logs];
    return result;
  }
}

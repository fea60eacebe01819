import { find, ownElapsed, type Change, type Elapsed, type Ledger, type Row } from "./ledger.js";

/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger implements Ledger {
  private rows: readonly Row[] = [];

  elapsed(): Elapsed {
    return ownElapsed();
  }

  async transact<T>(change: (rows: readonly Row[]) => Change<T>): Promise<T> {
    const { write, result } = change(this.rows);
    this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
    return result;
  }
}

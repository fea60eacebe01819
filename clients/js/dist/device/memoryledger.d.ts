import { type Change, type Elapsed, type Ledger, type Log, type Row } from "./ledger.js";
/** A ledger that forgets when the program ends: for tests and simulations only. */
export declare class MemoryLedger implements Ledger {
    private rows;
    private logs;
    elapsed(): Elapsed;
    transact<T>(change: (rows: readonly Row[], logs: readonly Log[]) => Change<T>): Promise<T>;
}

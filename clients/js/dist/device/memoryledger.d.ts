import { type Changing, type Elapsed, type Ledger } from "./ledger.js";
/** A ledger that forgets when the program ends: for tests and simulations only. */
export declare class MemoryLedger implements Ledger {
    private rows;
    private logs;
    private known;
    elapsed(): Elapsed;
    transact<T>(change: Changing<T>): Promise<T>;
}

import { type Change, type Elapsed, type Ledger, type Row } from "./ledger.js";
/**
 * The ledger of a browser: one IndexedDB store, of this origin, and nothing else. A `readwrite` transaction excludes
 * all tabs, and with strict durability it is complete when the disk has it. It reads, draws and adds in one.
 */
export declare class BrowserLedger implements Ledger {
    readonly name: string;
    constructor(name?: string);
    elapsed(): Elapsed;
    transact<T>(change: (rows: readonly Row[]) => Change<T>): Promise<T>;
    private open;
}

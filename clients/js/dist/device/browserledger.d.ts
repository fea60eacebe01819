import { type Changing, type Elapsed, type Ledger } from "./ledger.js";
/**
 * The ledger of a browser: IndexedDB of this origin, and nothing else. A `readwrite` transaction excludes
 * all tabs, and with strict durability it is complete when the disk has it. It reads, draws and adds in one.
 */
export declare class BrowserLedger implements Ledger {
    readonly name: string;
    constructor(name?: string);
    elapsed(): Elapsed;
    transact<T>(change: Changing<T>): Promise<T>;
    private open;
}

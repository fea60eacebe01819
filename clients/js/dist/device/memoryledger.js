import { find, ownElapsed } from "./ledger.js";
/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger {
    constructor() {
        this.rows = [];
    }
    elapsed() {
        return ownElapsed();
    }
    async transact(change) {
        const { write, result } = change(this.rows);
        this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
        return result;
    }
}

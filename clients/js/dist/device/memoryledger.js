import { find, ownElapsed } from "./ledger.js";
/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger {
    constructor() {
        this.rows = [];
        this.logs = [];
    }
    elapsed() {
        return ownElapsed();
    }
    async transact(change) {
        const { write = [], logs = [], result } = change(this.rows, this.logs);
        this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
        this.logs = [...this.logs.filter(({ url }) => logs.every((log) => log.url !== url)), ...logs];
        return result;
    }
}

import { find, ownElapsed } from "./ledger.js";
/** A ledger that forgets when the program ends: for tests and simulations only. */
export class MemoryLedger {
    constructor() {
        this.rows = [];
        this.logs = [];
        this.known = { kept: [], memos: [] };
    }
    elapsed() {
        return ownElapsed();
    }
    async transact(change) {
        const { write = [], logs = [], kept = [], memos = [], forget = [], result } = change(this.rows, this.logs, this.known);
        this.rows = [...this.rows.filter((row) => find(write, row) === undefined), ...write];
        this.logs = [...this.logs.filter(({ url }) => logs.every((log) => log.url !== url)), ...logs];
        this.known = { kept: [...this.known.kept, ...kept], memos: [...this.known.memos.filter((one) => !forget.includes(one)), ...memos] };
        return result;
    }
}

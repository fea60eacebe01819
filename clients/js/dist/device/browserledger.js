import { NoLedger } from "../errors.js";
import { ownElapsed } from "./ledger.js";
/**
 * Rows, what is kept of collectors' logs, and what the device drew for many reports, with their keys. Version 1 had only rows, without
 * series and publisher; version 2 had no memories.
 */
const STORES = { reports: ["fingerprint", "window"], logs: "url", kept: ["kind", "name"], memos: ["question", "memory", "period", "ordinal"] };
const SCHEMA = 3;
/**
 * The ledger of a browser: IndexedDB of this origin, and nothing else. A `readwrite` transaction excludes
 * all tabs, and with strict durability it is complete when the disk has it. It reads, draws and adds in one.
 */
export class BrowserLedger {
    constructor(name = "sottovoce") {
        this.name = name;
    }
    elapsed() {
        return ownElapsed();
    }
    async transact(change) {
        const database = await this.open();
        try {
            return await inTransaction(database, change);
        }
        finally {
            database.close();
        }
    }
    // Where a page with an older version has it open, the upgrade waits: pages close it after every transaction.
    open() {
        return new Promise((resolve, reject) => {
            const refuse = (error) => reject(unusable(error));
            try {
                const request = indexedDB.open(this.name, SCHEMA);
                request.onupgradeneeded = () => {
                    for (const [name, keyPath] of Object.entries(STORES)) {
                        if (!request.result.objectStoreNames.contains(name))
                            request.result.createObjectStore(name, { keyPath });
                    }
                };
                request.onsuccess = () => resolve(request.result);
                request.onerror = () => refuse(request.error);
            }
            catch (error) {
                refuse(error); // missing, or denied to this page
            }
        });
    }
}
/** No `await` between reading and writing: the transaction would end there. */
function inTransaction(database, change) {
    return new Promise((resolve, reject) => {
        const transaction = database.transaction(Object.keys(STORES), "readwrite", { durability: "strict" });
        const store = (name) => transaction.objectStore(name);
        const rows = store("reports").getAll();
        const logs = store("logs").getAll();
        const kept = store("kept").getAll();
        const memos = store("memos").getAll(); // comes last
        let result;
        let thrown;
        memos.onsuccess = () => {
            try {
                const changed = change(rows.result, logs.result, { kept: kept.result, memos: memos.result });
                for (const row of changed.write ?? [])
                    store("reports").put(row);
                for (const log of changed.logs ?? [])
                    store("logs").put(log);
                for (const one of changed.kept ?? [])
                    store("kept").add(one);
                for (const memo of changed.memos ?? [])
                    store("memos").add(memo);
                for (const memo of changed.forget ?? [])
                    store("memos").delete(STORES.memos.map((key) => memo[key]));
                result = changed.result;
            }
            catch (error) {
                thrown = { error };
                transaction.abort();
            }
        };
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(thrown === undefined ? unusable(transaction.error) : thrown.error);
    });
}
function unusable(error) {
    return new NoLedger(`this browser does not let the page remember what was answered, so nothing is drawn or sent (${error})`);
}

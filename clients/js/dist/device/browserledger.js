import { NoLedger } from "../errors.js";
import { ownElapsed } from "./ledger.js";
/** Rows, and what is kept of collectors' logs, with their keys. Version 1 had no logs, and rows without series and publisher. */
const STORES = { reports: ["fingerprint", "window"], logs: "url" };
const SCHEMA = 2;
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
        const [reports, kept] = [transaction.objectStore("reports"), transaction.objectStore("logs")];
        const rows = reports.getAll();
        const logs = kept.getAll(); // comes after the rows
        let result;
        let thrown;
        logs.onsuccess = () => {
            try {
                const changed = change(rows.result, logs.result);
                for (const row of changed.write ?? [])
                    reports.put(row);
                for (const log of changed.logs ?? [])
                    kept.put(log);
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

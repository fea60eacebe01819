import { NoLedger } from "../errors.js";
import { ownElapsed, type Changing, type Elapsed, type Ledger, type Log, type Row } from "./ledger.js";
import type { Kept, Memo } from "./memory.js";

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
export class BrowserLedger implements Ledger {
  constructor(readonly name = "sottovoce") {}

  elapsed(): Elapsed {
    return ownElapsed();
  }

  async transact<T>(change: Changing<T>): Promise<T> {
    const database = await this.open();
    try {
      return await inTransaction(database, change);
    } finally {
      database.close();
    }
  }

  // Where a page with an older version has it open, the upgrade waits: pages close it after every transaction.
  private open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => reject(unusable(error));
      try {
        const request = indexedDB.open(this.name, SCHEMA);
        request.onupgradeneeded = () => {
          for (const [name, keyPath] of Object.entries(STORES)) {
            if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name, { keyPath });
          }
        };
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => refuse(request.error);
      } catch (error) {
        refuse(error); // missing, or denied to this page
      }
    });
  }
}

/** No `await` between reading and writing: the transaction would end there. */
function inTransaction<T>(database: IDBDatabase, change: Changing<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(Object.keys(STORES), "readwrite", { durability: "strict" });
    const store = (name: keyof typeof STORES): IDBObjectStore => transaction.objectStore(name);
    const rows = store("reports").getAll() as IDBRequest<Row[]>;
    const logs = store("logs").getAll() as IDBRequest<Log[]>;
    const kept = store("kept").getAll() as IDBRequest<Kept[]>;
    const memos = store("memos").getAll() as IDBRequest<Memo[]>; // comes last
    let result: T;
    let thrown: { error: unknown } | undefined;
    memos.onsuccess = () => {
      try {
        const changed = change(rows.result, logs.result, { kept: kept.result, memos: memos.result });
        for (const row of changed.write ?? []) store("reports").put(row);
        for (const log of changed.logs ?? []) store("logs").put(log);
        for (const one of changed.kept ?? []) store("kept").add(one);
        for (const memo of changed.memos ?? []) store("memos").add(memo);
        for (const memo of changed.forget ?? []) store("memos").delete(STORES.memos.map((key) => memo[key as "question"]));
        result = changed.result;
      } catch (error) {
        thrown = { error };
        transaction.abort();
      }
    };
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(thrown === undefined ? unusable(transaction.error) : thrown.error);
  });
}

function unusable(error: unknown): NoLedger {
  return new NoLedger(`this browser does not let the page remember what was answered, so nothing is drawn or sent (${error})`);
}

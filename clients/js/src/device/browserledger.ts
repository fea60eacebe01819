import { NoLedger } from "../errors.js";
import { ownElapsed, type Change, type Elapsed, type Ledger, type Row } from "./ledger.js";

const STORE = "reports";

/**
 * The ledger of a browser: one IndexedDB store, of this origin, and nothing else. A `readwrite` transaction excludes
 * all tabs, and with strict durability it is complete when the disk has it. It reads, draws and adds in one.
 */
export class BrowserLedger implements Ledger {
  constructor(readonly name = "sottovoce") {}

  elapsed(): Elapsed {
    return ownElapsed();
  }

  async transact<T>(change: (rows: readonly Row[]) => Change<T>): Promise<T> {
    const database = await this.open();
    try {
      return await inTransaction(database, change);
    } finally {
      database.close();
    }
  }

  private open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(unusable(error));
      try {
        const request = indexedDB.open(this.name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["fingerprint", "window"] });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => fail(request.error);
        request.onblocked = () => fail("another page keeps it open");
      } catch (error) {
        fail(error); // missing, or denied to this page
      }
    });
  }
}

/** No `await` between reading and writing: the transaction would end there. */
function inTransaction<T>(database: IDBDatabase, change: (rows: readonly Row[]) => Change<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    const reading = store.getAll() as IDBRequest<Row[]>;
    let result: T;
    let thrown: { error: unknown } | undefined;
    reading.onsuccess = () => {
      try {
        const changed = change(reading.result);
        for (const row of changed.write) store.put(row);
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
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new NoLedger(`this browser does not let the page remember what was answered, so nothing is drawn or sent (${why})`);
}

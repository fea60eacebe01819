import { builtin } from "./builtins.js";
import { DEFAULT_LEDGERS } from "./client.js";
import type { Ledger } from "./ledger.js";

// Not in the bundle for pages: in Node the ledger is the file of this device, where there is SQLite.
DEFAULT_LEDGERS.unshift(() => {
  let opened: Promise<Ledger> | undefined;
  if (builtin("node:sqlite") === undefined) return undefined;
  return () => (opened ??= import("./nodeledger.js").then(({ NodeLedger }) => new NodeLedger()));
});

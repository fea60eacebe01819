import { builtin } from "./builtins.js";
import { DEFAULTS } from "./client.js";
import type { Ledger } from "./ledger.js";

// Not in the bundle for pages: in Node the ledger is the file of this device, where there is SQLite.
const { ledger } = DEFAULTS;
DEFAULTS.ledger = () => {
  let opened: Promise<Ledger> | undefined;
  if (builtin("node:sqlite") === undefined) return ledger();
  return () => (opened ??= import("./nodeledger.js").then(({ NodeLedger }) => new NodeLedger()));
};

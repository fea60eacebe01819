import { builtin } from "./builtins.js";
import { DEFAULT_LEDGERS } from "./client.js";
// Not in the bundle for pages: in Node the ledger is the file of this device, where there is SQLite.
DEFAULT_LEDGERS.unshift(() => {
    let opened;
    if (builtin("node:sqlite") === undefined)
        return undefined;
    return () => (opened ?? (opened = import("./nodeledger.js").then(({ NodeLedger }) => new NodeLedger())));
});

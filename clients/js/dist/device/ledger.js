import { toHex } from "../bytes.js";
import { OverBudget } from "../errors.js";
import { newId } from "../words.js";
import { refusalOf } from "./budget.js";
/** Where neither the system nor the browser says when it started, each page or process counts as one start. */
export function ownElapsed() {
    if (boot === "")
        boot = toHex(newId());
    return { boot, seconds: performance.now() / 1000 };
}
let boot = "";
/** The row of a survey and window. */
export function find(rows, { fingerprint, window }) {
    return rows.find((row) => row.fingerprint === fingerprint && row.window === window);
}
/** The receipt in a row. */
export function receiptOf({ fingerprint, window, survey, epsilon, delta, id, upload, state, code }) {
    return { fingerprint, window, survey, epsilon, delta, id, upload, state, code };
}
/**
 * The report of a survey and window: the stored one, else one that `draw` makes, if the budget allows it. It costs nothing
 * more where `memory` has begun.
 */
export async function spend(ledger, first, limits, pinned, memory, draw) {
    const found = await ledger.transact((rows, _, known) => {
        const charge = memory !== undefined && memory.stored(known).length > 0 ? { ...first, epsilon: "0" } : first;
        const stored = find(rows, charge);
        if (stored !== undefined)
            return { result: stored };
        // A later date was wrong: by this one, what was drawn then was drawn today.
        const late = rows.filter((row) => row.day > charge.day).map((row) => ({ ...row, day: charge.day }));
        const before = rows.map((row) => find(late, row) ?? row);
        const refused = refusalOf(limits, charge, before, pinned);
        if (refused !== undefined)
            return { write: late, result: refused };
        const { id, upload, ...drawn } = draw(known);
        const row = { ...charge, id, upload, state: "pending", code: "" };
        return { ...drawn, write: [...late, row], result: row };
    });
    if (found instanceof OverBudget)
        throw found;
    return found;
}
/** Write what became of a report, if it is still in one of the states `from`; the row as it is then. */
export function settle(ledger, receipt, from, state, code) {
    return ledger.transact((rows) => {
        const stored = find(rows, receipt);
        if (stored === undefined || !from.includes(stored.state))
            return { result: stored };
        const row = { ...stored, state, code };
        return { write: [row], result: row };
    });
}

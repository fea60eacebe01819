import { type Changing, type Elapsed, type Ledger } from "./ledger.js";
/**
 * The ledger of a device with Node 22.13 or newer: the file `ledger.sqlite` of the client in Python, so that programs
 * in both languages share one budget. Commits are synced to the disk (`synchronous = EXTRA`). A file that is damaged,
 * or not a ledger, is refused and never replaced: that would forget what was spent.
 */
export declare class NodeLedger implements Ledger {
    readonly path: string;
    /** Opens the ledger in a folder; without one, in `sottovoce` under XDG_STATE_HOME, LOCALAPPDATA or ~/.local/state. */
    constructor(folder?: string);
    elapsed(): Elapsed;
    transact<T>(change: Changing<T>): Promise<T>;
    /** One transaction of one writer, undone where anything fails. */
    private read;
    /** A new file gets its name when it is complete and synced; where another process was first, its file stays. */
    private create;
    private check;
    private checkMark;
    private damaged;
    /** Errors of the system and the database as ours. */
    private run;
}

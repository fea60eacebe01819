import { toHex } from "../bytes.js";
import { NoLedger, SottovoceError } from "../errors.js";
import { newId } from "../words.js";
import { builtin, environment } from "./builtins.js";
import { ownElapsed } from "./ledger.js";
const FILE = "ledger.sqlite";
/** "svld": the `application_id` of a ledger. */
const MARK = 0x73766c64;
const VERSION = 3;
/** A file that keeps cohorts or permanent answers; until then programs that know no others can use it. */
const EXTENDED = 4;
/** Milliseconds that a process waits for another that is writing. */
const WAIT = 60000;
const TABLE = `\
CREATE TABLE reports (
    fingerprint TEXT NOT NULL,
    "window" TEXT NOT NULL,
    survey TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    name TEXT NOT NULL,
    question TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    day TEXT NOT NULL,
    boot TEXT NOT NULL,
    uptime REAL NOT NULL,
    series TEXT NOT NULL DEFAULT '',
    publisher TEXT NOT NULL DEFAULT '',
    id BLOB NOT NULL,
    upload BLOB NOT NULL,
    state TEXT NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (fingerprint, "window")
) WITHOUT ROWID
`;
/** What is kept of collectors' logs, and which surveys were found in them. */
const LOGS = `\
CREATE TABLE logs (
    url TEXT NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    head TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE logged (
    url TEXT NOT NULL,
    survey TEXT NOT NULL,
    PRIMARY KEY (url, survey)
) WITHOUT ROWID
`;
/** What version 4 has in addition. */
const EXTENSION = `\
CREATE TABLE kept (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
CREATE TABLE memos (
    question TEXT NOT NULL,
    memory TEXT NOT NULL,
    period INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    tag BLOB NOT NULL,
    memo BLOB NOT NULL,
    PRIMARY KEY (question, memory, period, ordinal)
) WITHOUT ROWID
`;
/** From version 2. */
const UPGRADE = `\
ALTER TABLE reports ADD COLUMN series TEXT NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN publisher TEXT NOT NULL DEFAULT '';
${LOGS};
PRAGMA user_version = ${VERSION}
`;
const COLUMNS = [
    "fingerprint", "window", "survey", "epsilon", "delta", "name", "question", "first", "last", "day", "boot", "uptime",
    "series", "publisher", "id", "upload", "state", "code",
];
const NAMES = COLUMNS.map((name) => `"${name}"`).join(", ");
const FORGET = "DELETE FROM memos WHERE question = ? AND memory = ? AND period = ? AND ordinal = ?";
const WRITE_LOG = "INSERT OR REPLACE INTO logs (url, size, head) VALUES (?, ?, ?)";
const WRITE_LOGGED = "INSERT OR IGNORE INTO logged (url, survey) VALUES (?, ?)";
const WRITE = `INSERT OR REPLACE INTO reports (${NAMES}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;
/**
 * The ledger of a device with Node 22.13 or newer: the file `ledger.sqlite` of the client in Python, so that programs
 * in both languages share one budget. Commits are synced to the disk (`synchronous = EXTRA`). A file that is damaged,
 * or not a ledger, is refused and never replaced: that would forget what was spent.
 */
export class NodeLedger {
    /** Opens the ledger in a folder; without one, in `sottovoce` under XDG_STATE_HOME, LOCALAPPDATA or ~/.local/state. */
    constructor(folder) {
        if (builtin("node:sqlite") === undefined)
            throw new NoLedger("node:sqlite is missing: Node 22.13 or newer is needed for this ledger");
        const { join, dirname } = builtin("node:path");
        this.path = join(folder ?? defaultFolder(), FILE);
        this.run(() => {
            const fs = builtin("node:fs");
            fs.mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
            if (!fs.existsSync(this.path))
                this.create();
        });
        this.read((database) => {
            if (pragma(database, "application_id") === MARK && pragma(database, "user_version") === 2)
                database.exec(UPGRADE);
            this.check(database);
        });
    }
    elapsed() {
        try {
            const boot = builtin("node:fs").readFileSync("/proc/sys/kernel/random/boot_id", "ascii").trim();
            return { boot, seconds: builtin("node:os").uptime() };
        }
        catch {
            return ownElapsed(); // a system that does not say which start this is
        }
    }
    async transact(change) {
        return this.read((database) => {
            const version = this.checkMark(database);
            const rows = database.prepare(`SELECT ${NAMES} FROM reports`).all();
            const { write = [], logs = [], kept = [], memos = [], forget = [], result } = change(rows, readLogs(database), readMemories(database, version));
            const insert = database.prepare(WRITE);
            for (const row of write)
                insert.run(...COLUMNS.map((name) => row[name]));
            for (const { url, size, head, surveys } of logs) {
                database.prepare(WRITE_LOG).run(url, size, head);
                for (const survey of surveys)
                    database.prepare(WRITE_LOGGED).run(url, survey);
            }
            if (version < EXTENDED && kept.length + memos.length > 0)
                database.exec(`${EXTENSION}; PRAGMA user_version = ${EXTENDED}`);
            for (const { kind, name, value } of kept)
                database.prepare("INSERT INTO kept VALUES (?, ?, ?)").run(kind, name, stored(value));
            for (const { question, memory, period, ordinal } of forget)
                database.prepare(FORGET).run(question, memory, period, ordinal);
            for (const { question, memory, period, ordinal, tag, memo } of memos) {
                database.prepare("INSERT INTO memos VALUES (?, ?, ?, ?, ?, ?)").run(question, memory, period, ordinal, tag, stored(memo));
            }
            return result;
        });
    }
    /** One transaction of one writer, undone where anything fails. */
    read(work) {
        return this.run(() => {
            if (!builtin("node:fs").existsSync(this.path))
                throw this.damaged("it is gone");
            if (builtin("node:fs").statSync(this.path).size === 0)
                throw this.damaged("it is empty");
            const database = connect(this.path);
            try {
                return inTransaction(database, work);
            }
            finally {
                database.close();
            }
        });
    }
    /** A new file gets its name when it is complete and synced; where another process was first, its file stays. */
    create() {
        const fs = builtin("node:fs");
        const { join, dirname } = builtin("node:path");
        const part = join(dirname(this.path), `.${FILE}.${toHex(newId())}.part`);
        fs.closeSync(fs.openSync(part, "wx", 0o600));
        try {
            const database = connect(part);
            try {
                inTransaction(database, () => database.exec(`${TABLE}; ${LOGS}; PRAGMA application_id = ${MARK}; PRAGMA user_version = ${VERSION}`));
            }
            finally {
                database.close();
            }
            sync(part, "r+");
            try {
                fs.linkSync(part, this.path);
            }
            catch (error) {
                if (error.code !== "EEXIST")
                    throw error;
            }
        }
        finally {
            fs.rmSync(part, { force: true });
        }
        try {
            sync(dirname(this.path), "r");
        }
        catch {
            // Windows syncs no folder, and writes their entries itself.
        }
    }
    check(database) {
        this.checkMark(database);
        const { size } = builtin("node:fs").statSync(this.path);
        if (size < pragma(database, "page_count") * pragma(database, "page_size"))
            throw this.damaged("its end is missing");
        const fault = Object.values(database.prepare("PRAGMA quick_check(1)").all()[0])[0];
        if (fault !== "ok")
            throw this.damaged(String(fault));
    }
    checkMark(database) {
        if (pragma(database, "application_id") !== MARK)
            throw this.damaged("it is another database");
        const version = pragma(database, "user_version");
        if (version !== VERSION && version !== EXTENDED)
            throw new NoLedger(`${this.path} is a ledger of version ${version}; this client reads ${EXTENDED}`);
        return version;
    }
    damaged(why) {
        return new NoLedger(`${this.path} cannot be read as a ledger: ${why}. Nothing is answered. Restore it from a copy; to delete it is to forget what this device has spent`);
    }
    /** Errors of the system and the database as ours. */
    run(work) {
        try {
            return work();
        }
        catch (error) {
            if (error instanceof SottovoceError || error.code === undefined)
                throw error;
            throw new NoLedger(`${this.path} cannot be used, so nothing is drawn or sent: ${error.message}`);
        }
    }
}
function defaultFolder() {
    const { join } = builtin("node:path");
    const { XDG_STATE_HOME, LOCALAPPDATA } = environment();
    return join(XDG_STATE_HOME || LOCALAPPDATA || join(builtin("node:os").homedir(), ".local", "state"), "sottovoce");
}
function connect(path) {
    const database = new (builtin("node:sqlite").DatabaseSync)(path);
    try {
        database.exec(`PRAGMA busy_timeout = ${WAIT}; PRAGMA synchronous = EXTRA`);
    }
    catch (error) {
        database.close();
        throw error;
    }
    return database;
}
function inTransaction(database, work) {
    database.exec("BEGIN IMMEDIATE");
    try {
        const result = work(database);
        database.exec("COMMIT");
        return result;
    }
    catch (error) {
        try {
            database.exec("ROLLBACK");
        }
        catch {
            // SQLite undid it already, after an error of the disk.
        }
        throw error;
    }
}
function readLogs(database) {
    const logged = database.prepare("SELECT url, survey FROM logged").all();
    const heads = database.prepare("SELECT url, size, head FROM logs").all();
    return heads.map((log) => ({ ...log, surveys: logged.filter(({ url }) => url === log.url).map(({ survey }) => survey) }));
}
function readMemories(database, version) {
    if (version < EXTENDED)
        return { kept: [], memos: [] };
    return {
        kept: database.prepare("SELECT * FROM kept").all(),
        memos: database.prepare("SELECT * FROM memos").all(),
    };
}
/** A number as an integer of the file: as a double, other programs would not take it for one. */
function stored(value) {
    return typeof value === "number" ? BigInt(value) : value;
}
function pragma(database, name) {
    return Number(Object.values(database.prepare(`PRAGMA ${name}`).all()[0])[0]);
}
function sync(path, flags) {
    const fs = builtin("node:fs");
    const file = fs.openSync(path, flags);
    try {
        fs.fsyncSync(file);
    }
    finally {
        fs.closeSync(file);
    }
}

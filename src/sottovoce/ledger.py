"""What a device has spent and sent, on its disk: written before anything leaves.

SQLite keeps it, from the standard library, with a rollback journal and ``synchronous =
EXTRA``: a report whose transaction is committed is there after a crash of the program, of
the system, or of the power, and one that is not was never sent.  An append-only file
would need its own locks between processes, its own recovery of a last line cut short, and
its own index, all of which are then one more thing to get wrong.

A row is one report: of a survey (by fingerprint) in a window, what it cost, its id, and
the very bytes that are sent.  The answer itself is never stored.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from sottovoce.core.errors import CorruptBytes, OverBudget

__all__ = ["Ledger", "Receipt", "default_folder"]

FILE = "ledger.sqlite"
_VERSION = 1
_WAIT = 60.0
"""Seconds that a process waits for another that is writing."""

_TABLE = """
CREATE TABLE IF NOT EXISTS reports (
    fingerprint TEXT NOT NULL,
    "window" TEXT NOT NULL,
    survey TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    delta TEXT NOT NULL,
    id BLOB NOT NULL,
    upload BLOB NOT NULL,
    state TEXT NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (fingerprint, "window")
) WITHOUT ROWID
"""
_COLUMNS = 'fingerprint, "window", survey, epsilon, delta, id, upload, state, code'


@dataclass(frozen=True)
class Receipt:
    """One report of this device: what it cost, and what became of it.

    ``state`` is ``"pending"`` (spent, not acknowledged), ``"acknowledged"`` (the collector has
    it on its disk) or ``"refused"`` (for good; ``code`` says why).  While it is pending,
    ``code`` is what came of the last attempt, if any.  ``upload`` is what is sent, in
    MessagePack, byte for byte the same every time.
    """

    fingerprint: str
    window: str
    survey: str
    epsilon: str
    delta: str
    id: bytes
    upload: bytes
    state: str = "pending"
    code: str = ""


def default_folder() -> Path:
    """Where programs of this user keep their state."""
    given = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(given) if given else Path.home() / ".local" / "state") / "sottovoce"


class Ledger:
    """The reports of one device; several processes may use one folder at a time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / FILE
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # For nobody else's eyes: which surveys one took part in is private too.
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        with self._transaction() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version not in (0, _VERSION):
                raise CorruptBytes(
                    f"{self.path} is a ledger of version {version}; this version reads {_VERSION}"
                )
            database.execute(_TABLE)
            database.execute(f"PRAGMA user_version = {_VERSION}")

    def find(self, fingerprint: str, window: str) -> Receipt | None:
        """The report of a survey in a window, if there is one."""
        with self._transaction() as database:
            return _find(database, fingerprint, window)

    def spend(
        self, draft: Receipt, total: Fraction, draw: Callable[[], tuple[bytes, bytes]]
    ) -> Receipt:
        """The report of ``draft``'s survey and window: the stored one, else one that ``draw`` makes.

        In one transaction, so that of two processes one draws and both have the same
        report.  :class:`OverBudget` where all that is spent would exceed ``total``;
        nothing is drawn then.
        """
        with self._transaction() as database:
            stored = _find(database, draft.fingerprint, draft.window)
            if stored is not None:
                return stored
            spent, _ = _sums(database)
            if spent + Fraction(draft.epsilon) > total:
                raise OverBudget(
                    f"survey {draft.survey!r} asks for epsilon {draft.epsilon}; of the "
                    f"{float(total):g} that this device may spend, {float(spent):g} are spent"
                )
            number, upload = draw()
            made = replace(draft, id=number, upload=upload)
            database.execute(
                f"INSERT INTO reports ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                tuple(vars(made).values()),
            )
            return made

    def settle(self, receipt: Receipt, state: str, code: str) -> Receipt:
        """Write what became of a report; what was acknowledged stays so."""
        with self._transaction() as database:
            database.execute(
                'UPDATE reports SET state = ?, code = ? WHERE fingerprint = ? AND "window" = ? '
                "AND state <> 'acknowledged'",
                (state, code, receipt.fingerprint, receipt.window),
            )
            stored = _find(database, receipt.fingerprint, receipt.window)
        return receipt if stored is None else stored

    def receipts(self, fingerprint: str | None = None) -> list[Receipt]:
        """All reports, or those of one survey, in order of window."""
        with self._transaction() as database:
            rows = database.execute(
                f"SELECT {_COLUMNS} FROM reports WHERE ? IN (fingerprint, '') "  # noqa: S608
                'ORDER BY fingerprint, "window"',
                (fingerprint or "",),
            )
            return [Receipt(*row) for row in rows]

    def spent(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of all reports together, exactly."""
        with self._transaction() as database:
            return _sums(database)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One at a time; committed to the disk when left, undone if anything fails."""
        try:
            with closing(
                sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            ) as database:
                database.execute("PRAGMA synchronous = EXTRA")
                database.execute("BEGIN IMMEDIATE")
                try:
                    yield database
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
        except sqlite3.OperationalError as error:  # locked, full, not allowed
            raise OSError(f"{self.path} cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            raise CorruptBytes(f"{self.path} is no ledger that can be read: {error}") from error


def _find(database: sqlite3.Connection, fingerprint: str, window: str) -> Receipt | None:
    row = database.execute(
        f'SELECT {_COLUMNS} FROM reports WHERE fingerprint = ? AND "window" = ?',  # noqa: S608
        (fingerprint, window),
    ).fetchone()
    return None if row is None else Receipt(*row)


def _sums(database: sqlite3.Connection) -> tuple[Fraction, Fraction]:
    """Decimal text adds up exactly as fractions; SQL would add floats."""
    rows = database.execute("SELECT epsilon, delta FROM reports").fetchall()
    return sum((Fraction(e) for e, _ in rows), Fraction(0)), sum(
        (Fraction(d) for _, d in rows), Fraction(0)
    )

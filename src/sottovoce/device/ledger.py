"""What a device has spent and sent, on its disk: written before anything leaves.

A row is one report: what it is charged with, its id, and the very bytes that are sent.  The
answer itself is never stored.  For every collector there is the last head of its log, and which
surveys were in it (:mod:`sottovoce.device.log_check`).  Where a survey has cohorts or memory, there is what
the device drew for it (:mod:`sottovoce.device.memory`): the file is then of version 4, else of version 3.
How the file is kept is the work of :mod:`sottovoce.device.spool`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path

from sottovoce.base.errors import OverBudget
from sottovoce.base.randomness import Source
from sottovoce.device.memory import KEPT, MEMOS, DeviceMemory, cohort_of
from sottovoce.device.spool import Spool, SpoolFormat, connect, transaction
from sottovoce.surveys.charges import Charge
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.publications import EMPTY, LogHead
from sottovoce.surveys.survey import Survey

__all__ = ["FILE", "Ledger", "Receipt", "Reported", "default_folder"]

FILE = "ledger.sqlite"
_WAIT = 60.0
"""Seconds that a process waits for another that is writing."""

_TABLE = """\
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
"""
_LOGS = """\
CREATE TABLE logs (
    url TEXT NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    head TEXT NOT NULL
) WITHOUT ROWID
"""
_LOGGED = """\
CREATE TABLE logged (
    url TEXT NOT NULL,
    survey TEXT NOT NULL,
    PRIMARY KEY (url, survey)
) WITHOUT ROWID
"""
_FORMAT = SpoolFormat(
    what="ledger",
    mark=b"svld",
    version=3,
    tables=(_TABLE, _LOGS, _LOGGED),
    extension=(KEPT, MEMOS),
    upgrades={
        2: (
            "ALTER TABLE reports ADD COLUMN series TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE reports ADD COLUMN publisher TEXT NOT NULL DEFAULT ''",
            _LOGS,
            _LOGGED,
        )
    },
    remedy="Nothing is answered. Restore it from a copy; to delete it is to forget what this device has spent",
)


@dataclass(frozen=True)
class Receipt:
    """One report of this device: what it cost, and what became of it.

    ``state`` is ``"pending"`` (spent, not acknowledged), ``"acknowledged"`` (the collector has
    it on its disk), ``"refused"`` (for good; ``code`` says why) or ``"not-asked"`` (nothing was drawn, as
    the window asks other devices).  While it is pending, ``code`` is what came of the last attempt,
    if any.  ``upload`` is what is sent, in MessagePack, byte for byte the same every time.
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


Reported = tuple[Charge, Receipt]
"""What a report is charged with, and what became of it."""


def _columns(kind: type) -> str:
    return ", ".join(f'"{each.name}"' for each in fields(kind))


_RECEIPT, _CHARGE = _columns(Receipt), _columns(Charge)


def default_folder() -> Path:
    """Where programs of this user keep their state."""
    given = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(given) if given else Path.home() / ".local" / "state") / "sottovoce"


class Ledger:
    """The reports of one device; several processes may use one folder at a time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / FILE
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._spool = Spool(self.path, _FORMAT)
        # For nobody else's eyes: which surveys one took part in is private too.
        self._spool.prepare()
        with suppress(PermissionError):  # of another owner, who lets us write
            self.path.chmod(0o600)
        with self._transaction() as database:
            self._spool.check(database)

    def find(self, fingerprint: str, window: str) -> Receipt | None:
        """The report of a survey in a window, if there is one."""
        with self._transaction() as database:
            return _find(database, fingerprint, window)

    def cohort(self, survey: Survey, source: Source) -> int:
        """The cohort of this device in a survey: drawn when first needed, then kept."""
        with self._transaction() as database:
            self._spool.extend(database)
            return cohort_of(database, survey, source)

    def spend(
        self,
        charge: Charge,
        limits: Limits,
        draw: Callable[[sqlite3.Connection], tuple[bytes, bytes]],
        *,
        pinned: bool = False,
        memory: DeviceMemory | None = None,
    ) -> Receipt:
        """The report of this survey and window: the stored one, else one that ``draw`` makes.

        In one transaction, so that of two processes one draws and both have the same
        report.  :class:`OverBudget` where it would break the limits; nothing is drawn then.
        What ``charge`` costs was charged before where ``memory`` has begun: then it costs nothing.
        """
        with self._transaction() as database:
            stored = _find(database, charge.fingerprint, charge.window)
            if stored is not None:
                return stored
            if memory is not None:
                self._spool.extend(database)
                if memory.has_begun(database):
                    charge = replace(charge, epsilon="0")
            # A later date was wrong: by this one, what was drawn then was drawn today.
            database.execute("UPDATE reports SET day = ? WHERE day > ?", (charge.day, charge.day))
            try:
                limits.check(charge, _charges(database), pinned=pinned)
            except OverBudget as error:
                refusal = error
            else:
                return _insert(database, charge, *draw(database))
        raise refusal  # after the dates are written

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
                f"SELECT {_RECEIPT} FROM reports WHERE ? IN (fingerprint, '') "  # noqa: S608
                'ORDER BY fingerprint, "window"',
                (fingerprint or "",),
            )
            return [Receipt(*row) for row in rows]

    def reported(self) -> list[Reported]:
        """Every report with what it is charged with, in the order of the days they were drawn on."""
        with self._transaction() as database:
            rows = database.execute(
                f'SELECT {_CHARGE}, {_RECEIPT} FROM reports ORDER BY day, fingerprint, "window"'  # noqa: S608
            ).fetchall()
        charges = len(fields(Charge))
        return [(Charge(*row[:charges]), Receipt(*row[charges:])) for row in rows]

    def permanent_answers(self) -> dict[str, int]:
        """How many permanent answers are kept, by the name of the survey that was answered last with them."""
        with self._transaction() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == _FORMAT.version:
                return {}
            rows = database.execute(
                "SELECT (SELECT survey FROM reports WHERE reports.question = memos.question "
                "ORDER BY last DESC LIMIT 1), count(*) FROM memos GROUP BY question"
            ).fetchall()
        return dict(rows)

    def log_head(self, url: str) -> LogHead:
        """The last head of the log of a collector that was checked."""
        with self._transaction() as database:
            return _log_head(database, url)

    def is_logged(self, url: str, survey: str) -> bool:
        """Whether a survey, by its digest, was found in the log of a collector."""
        with self._transaction() as database:
            chosen = "SELECT 1 FROM logged WHERE url = ? AND survey = ?"
            return database.execute(chosen, (url, survey)).fetchone() is not None

    def keep_log(self, url: str, before: LogHead, after: LogHead, survey: str) -> bool:
        """Keep a newer head, and that a survey is in the log; False where it is not ``before`` any more."""
        with self._transaction() as database:
            if _log_head(database, url) != before:
                return False  # another process has checked a newer one
            row = (url, after.size, after.head)
            database.execute("INSERT OR REPLACE INTO logs (url, size, head) VALUES (?, ?, ?)", row)
            database.execute(
                "INSERT OR IGNORE INTO logged (url, survey) VALUES (?, ?)", (url, survey)
            )
        return True

    def spent(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of all reports together, exactly: SQL would add floats."""
        with self._transaction() as database:
            charges = _charges(database)
        epsilon = sum((charge.cost for charge in charges), Fraction(0))
        return epsilon, sum((Fraction(charge.delta) for charge in charges), Fraction(0))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with (
            self._spool.errors(),
            closing(connect(self.path, _WAIT)) as database,
            transaction(database),
        ):
            yield database


def _log_head(database: sqlite3.Connection, url: str) -> LogHead:
    row = database.execute("SELECT size, head FROM logs WHERE url = ?", (url,)).fetchone()
    return EMPTY if row is None else LogHead(*row)


def _find(database: sqlite3.Connection, fingerprint: str, window: str) -> Receipt | None:
    row = database.execute(
        f'SELECT {_RECEIPT} FROM reports WHERE fingerprint = ? AND "window" = ?',  # noqa: S608
        (fingerprint, window),
    ).fetchone()
    return None if row is None else Receipt(*row)


def _insert(database: sqlite3.Connection, charge: Charge, number: bytes, upload: bytes) -> Receipt:
    row = {**vars(charge), "id": number, "upload": upload, "state": "pending", "code": ""}
    places = ", ".join("?" * len(row))
    names = ", ".join(f'"{name}"' for name in row)
    database.execute(
        f"INSERT INTO reports ({names}) VALUES ({places})",  # noqa: S608
        tuple(row.values()),
    )
    return Receipt(**{each.name: row[each.name] for each in fields(Receipt)})


def _charges(database: sqlite3.Connection) -> list[Charge]:
    rows = database.execute(f"SELECT {_CHARGE} FROM reports")  # noqa: S608
    return [Charge(*row) for row in rows]

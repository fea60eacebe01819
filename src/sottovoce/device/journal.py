"""The journal of a sending: every upload drawn once, on the disk before the first one leaves.

All uploads are written in one transaction, then sent, and each is marked when the collector
acknowledges it: after a crash the same bytes are sent again, under the same ids, which the collector
counts once.  How the file is kept is the work of :mod:`sottovoce.device.spool`.

It holds no true value.  The bytes of what was acknowledged are wiped: the journal then no longer
shows which reports this machine sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sottovoce.base.errors import InvalidInput
from sottovoce.device.spool import Busy, Spool, SpoolFormat, connect, transaction

__all__ = ["Drawn", "Journal", "Sending", "Sent"]

_FORMAT = SpoolFormat(
    what="journal",
    mark=b"svsj",
    version=1,
    tables=(
        """
CREATE TABLE sending (
    fingerprint TEXT NOT NULL, "window" TEXT NOT NULL, input TEXT NOT NULL, bytes INTEGER
)
""",
        """
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY, reports INTEGER NOT NULL, upload BLOB,
    stored INTEGER NOT NULL DEFAULT 0, duplicates INTEGER NOT NULL DEFAULT 0
)
""",
    ),
    remedy="Nothing is sent. Restore it from a copy, or name a file that does not exist yet: "
    "what was drawn before is then drawn again, and costs privacy again",
)

Drawn = tuple[int, bytes]
"""How many reports an upload holds, and its bytes."""


@dataclass(frozen=True)
class Sending:
    """What is sent: reports to a survey in a window, of an input of so many bytes (None: a pipe)."""

    fingerprint: str
    window: str
    input: str
    bytes: int | None


@dataclass(frozen=True)
class Sent:
    """Reports by what became of them; together they are all that were drawn."""

    stored: int
    duplicates: int
    pending: int

    @property
    def reports(self) -> int:
        """All of them."""
        return self.stored + self.duplicates + self.pending


class Journal:
    """The uploads of one sending; without a path, in a temporary file that nobody else sees."""

    def __init__(self, path: str | None) -> None:
        self.name = "the journal" if path is None else path
        self._spool = Spool(Path(self.name), _FORMAT)
        if path is not None:
            if self._spool.path.is_dir() or not self._spool.path.parent.is_dir():
                allowed = "a file in a folder that exists"
                raise InvalidInput("journal", "a sending", allowed, self.name)
            self._spool.prepare()
        try:
            with self._spool.errors():
                self._database = self._opened(path)
        except Busy as error:
            allowed = "one that no other sending has open"
            raise InvalidInput("journal", "a sending", allowed, self.name) from error

    def _opened(self, path: str | None) -> sqlite3.Connection:
        """The database, locked for as long as it is open."""
        if path is None:
            database = sqlite3.connect("", isolation_level=None)
        else:
            database = connect(self._spool.path)
        try:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("PRAGMA secure_delete = ON")
            with transaction(database):
                if path is None:
                    _FORMAT.fill(database)
                else:
                    self._spool.check(database)
        except BaseException:
            database.close()
            raise
        return database

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    @property
    def sending(self) -> Sending | None:
        """What was drawn; None where nothing was yet."""
        with self._spool.errors():
            row = self._database.execute("SELECT * FROM sending").fetchone()
        return None if row is None else Sending(*row)

    def fill(self, sending: Sending, drawn: Iterable[Drawn]) -> None:
        """Write all uploads, or none; they are on the disk when this returns."""
        with self._spool.errors(), transaction(self._database):
            self._database.executemany("INSERT INTO uploads (reports, upload) VALUES (?, ?)", drawn)
            row = (sending.fingerprint, sending.window, sending.input, sending.bytes)
            self._database.execute("INSERT INTO sending VALUES (?, ?, ?, ?)", row)

    def pending(self) -> Iterator[tuple[int, int, bytes]]:
        """The number, the count of reports and the bytes of every upload not acknowledged."""
        last = 0
        while True:
            with self._spool.errors():
                row = self._database.execute(
                    "SELECT number, reports, upload FROM uploads "
                    "WHERE number > ? AND upload IS NOT NULL ORDER BY number LIMIT 1",
                    (last,),
                ).fetchone()
            if row is None:
                return
            last = row[0]
            yield row

    def settle(self, number: int, stored: int, duplicates: int) -> None:
        """An upload was acknowledged; its bytes are wiped."""
        with self._spool.errors(), transaction(self._database):
            self._database.execute(
                "UPDATE uploads SET stored = ?, duplicates = ?, upload = NULL WHERE number = ?",
                (stored, duplicates, number),
            )

    def sent(self) -> Sent:
        """What became of the reports so far."""
        with self._spool.errors():
            row = self._database.execute(
                "SELECT total(stored), total(duplicates), "
                "total(CASE WHEN upload IS NULL THEN 0 ELSE reports END) FROM uploads"
            ).fetchone()
        return Sent(*map(int, row))

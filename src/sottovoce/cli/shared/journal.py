"""The journal of a sending: every upload drawn once, on the disk before the first one leaves.

A report that was drawn may have been received, whatever became of the answer.  To draw it again
would tell more about a person than was agreed to, and count twice.  So all uploads are
written in one transaction, then sent, and each is marked when the collector says that it
has it: after a crash the same bytes go again, under the same ids, which it counts once.

It is SQLite, as the ledger of a device is, and holds no true value.  The bytes of what was
acknowledged are wiped: the journal then no longer tells which reports this machine sent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.base.files import write_new

__all__ = ["Drawn", "Journal", "Sending", "Sent"]

_KIND = 0x73_76_73_6A
"""What marks the file as a journal: the letters ``svsj``."""
_VERSION = 1
_TABLES = """
CREATE TABLE sending (
    fingerprint TEXT NOT NULL, "window" TEXT NOT NULL, input TEXT NOT NULL, bytes INTEGER
);
CREATE TABLE uploads (
    number INTEGER PRIMARY KEY, reports INTEGER NOT NULL, upload BLOB,
    stored INTEGER NOT NULL DEFAULT 0, duplicates INTEGER NOT NULL DEFAULT 0
);
"""

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
        if path is not None:
            self._check(Path(path))
            # For nobody else's eyes: reports are private until they are among many.
            if not Path(path).exists():
                write_new(path, _create, mode=0o600)
        self._database = sqlite3.connect(path or "", timeout=0.0, isolation_level=None)
        try:
            self._prepare(new=path is None)
        except BaseException:
            self._database.close()
            raise

    def _check(self, path: Path) -> None:
        if path.is_dir() or not path.parent.is_dir():
            allowed = "a file in a folder that exists"
            raise InvalidInput("--journal", "send", allowed, self.name)
        if path.is_file() and path.stat().st_size == 0:
            raise CorruptBytes(
                f"{self.name} is empty, so what was drawn before is unknown: name a file "
                "that does not exist yet, or restore this one from a copy"
            )

    def _prepare(self, *, new: bool) -> None:
        with self._readable():
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("PRAGMA synchronous = EXTRA")
            self._database.execute("PRAGMA secure_delete = ON")
            with self._transaction():
                if new:
                    _fill(self._database)
                (kind,) = self._database.execute("PRAGMA application_id").fetchone()
                (version,) = self._database.execute("PRAGMA user_version").fetchone()
                if kind != _KIND:
                    raise CorruptBytes(f"{self.name} is not a journal of sottovoce send")
                if version != _VERSION:
                    raise CorruptBytes(
                        f"{self.name} is a journal of version {version}; this version reads {_VERSION}"
                    )

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
        with self._readable():
            row = self._database.execute("SELECT * FROM sending").fetchone()
        return None if row is None else Sending(*row)

    def fill(self, sending: Sending, drawn: Iterable[Drawn]) -> None:
        """Write all uploads, or none; they are on the disk when this returns."""
        with self._readable(), self._transaction():
            self._database.executemany("INSERT INTO uploads (reports, upload) VALUES (?, ?)", drawn)
            row = (sending.fingerprint, sending.window, sending.input, sending.bytes)
            self._database.execute("INSERT INTO sending VALUES (?, ?, ?, ?)", row)

    def pending(self) -> Iterator[tuple[int, int, bytes]]:
        """The number, the count of reports and the bytes of every upload not acknowledged."""
        last = 0
        while True:
            with self._readable():
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
        with self._readable(), self._transaction():
            self._database.execute(
                "UPDATE uploads SET stored = ?, duplicates = ?, upload = NULL WHERE number = ?",
                (stored, duplicates, number),
            )

    def sent(self) -> Sent:
        """What became of the reports so far."""
        with self._readable():
            row = self._database.execute(
                "SELECT total(stored), total(duplicates), "
                "total(CASE WHEN upload IS NULL THEN 0 ELSE reports END) FROM uploads"
            ).fetchone()
        return Sent(*map(int, row))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Errors of the database in words."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname == "SQLITE_BUSY":
                allowed = "a journal that no other send has open"
                raise InvalidInput("--journal", "send", allowed, self.name) from error
            raise OSError(f"{self.name} cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            raise CorruptBytes(f"{self.name} is not a readable journal: {error}") from error


def _create(part: Path) -> None:
    """Fill a new file with a journal of nothing."""
    with closing(sqlite3.connect(part, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        _fill(database)
        database.execute("COMMIT")


def _fill(database: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {_KIND}")
    database.execute(f"PRAGMA user_version = {_VERSION}")

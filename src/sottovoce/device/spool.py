"""A file of drawn reports: on the disk before anything is sent, and as it was after any crash.

A report that was drawn may have been received, whatever became of the answer.  To draw it again
would reveal more about a person than was agreed to, and count twice.  So the bytes of a report are
written before they leave, and the same bytes are sent until the collector acknowledges them.

SQLite keeps them, from the standard library, with a rollback journal and ``synchronous = EXTRA``:
what a committed transaction wrote is there after a crash of the program, of the system, or of the
power, and what was not committed was never sent.  An append-only file would need its own locks
between processes, its own recovery of a last line cut short, and its own index.

A new file gets its name when it is complete, so that an empty or shortened one is damaged, and is
refused.  Two kinds of file are kept so: the ledger of a device (:mod:`sottovoce.device.ledger`) and
the journal of a relay (:mod:`sottovoce.device.journal`).  Their tables differ: a ledger has one row
per survey and window for the life of a device, with what each report cost, and is shared by
processes; a journal has the uploads of one sending, and forgets each when it is acknowledged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sottovoce.base.errors import CorruptBytes
from sottovoce.base.files import write_new

__all__ = ["Busy", "Spool", "SpoolFormat", "connect", "transaction"]


class Busy(OSError):
    """Another process has the file open for writing."""


@dataclass(frozen=True)
class SpoolFormat:
    """What a file is called, how it is marked, its tables, and what to do where it is damaged."""

    what: str
    mark: bytes
    """Four letters: the ``application_id`` of the database."""
    version: int
    tables: tuple[str, ...]
    remedy: str
    upgrades: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """From an older version: the statements that bring a file to the next one."""
    extension: tuple[str, ...] = ()
    """Tables of the version after ``version``, which a file gets when they are first needed: until then
    programs that do not know them can use it."""

    def fill(self, database: sqlite3.Connection) -> None:
        """Write the mark and the empty tables, within a transaction."""
        for table in self.tables:
            database.execute(table)
        database.execute(f"PRAGMA application_id = {int.from_bytes(self.mark, 'big')}")
        database.execute(f"PRAGMA user_version = {self.version}")


@dataclass(frozen=True)
class Spool:
    """The file of one format at a path."""

    path: Path
    format: SpoolFormat

    def prepare(self) -> None:
        """Write a new file, readable by its owner only, unless there is one; one without content is damaged."""
        if not self.path.exists():
            write_new(self.path, self._fill, mode=0o600)
        if self.path.stat().st_size == 0:
            raise self.damaged("it is empty")

    def _fill(self, part: Path) -> None:
        with closing(connect(part)) as database, transaction(database):
            self.format.fill(database)

    def check(self, database: sqlite3.Connection) -> None:
        """Refuse a file of another kind or version, or a part of one: it would forget what was drawn.

        A file of an older version is brought up to date, in the transaction at hand.
        """
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if mark != int.from_bytes(self.format.mark, "big"):
            raise self.damaged("it is another database")
        newest = self.format.version + bool(self.format.extension)
        if not self.format.version <= version <= newest and version not in self.format.upgrades:
            raise CorruptBytes(
                f"{self.path} is a {self.format.what} of version {version}; "
                f"this version reads {newest}"
            )
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
        if self.path.stat().st_size < pages * size:
            raise self.damaged("its end is missing")
        (fault,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if fault != "ok":
            raise self.damaged(fault)
        self._upgrade(database, version)

    def _upgrade(self, database: sqlite3.Connection, version: int) -> None:
        while version in self.format.upgrades:
            for statement in self.format.upgrades[version]:
                database.execute(statement)
            version += 1
            database.execute(f"PRAGMA user_version = {version}")

    def extend(self, database: sqlite3.Connection) -> None:
        """Add the tables of the extension unless they are there, in the transaction at hand."""
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > self.format.version:
            return
        for table in self.format.extension:
            database.execute(table)
        database.execute(f"PRAGMA user_version = {version + 1}")

    def damaged(self, why: str) -> CorruptBytes:
        """The error for a file that cannot be read."""
        return CorruptBytes(
            f"{self.path} cannot be read as a {self.format.what}: {why}. {self.format.remedy}"
        )

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Errors of the database as ours."""
        try:
            yield
        except sqlite3.OperationalError as error:  # locked, full, not allowed, not there
            kind = Busy if error.sqlite_errorname == "SQLITE_BUSY" else OSError
            raise kind(f"{self.path} cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            raise self.damaged(str(error)) from error


def connect(path: Path, wait: float = 0.0) -> sqlite3.Connection:
    """Open a database that exists, waiting up to ``wait`` seconds for others that write."""
    uri = f"{path.resolve().as_uri()}?mode=rw"
    database = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = EXTRA")
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """One writer at a time; committed to the disk at the end, undone if anything fails."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")

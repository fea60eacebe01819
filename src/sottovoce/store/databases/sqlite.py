"""SQLite: one file, a write-ahead log that is synced at every commit, one writer.

The log is emptied into the database by a thread of its own.  A checkpoint in the writer's
way would make some commits wait for it; one that only ever runs beside the writer would never
find the log at rest, which would then grow for ever.  So most of it is done beside the
writer, and only the little that came meanwhile while it waits.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.base.files import sqlite_files, write_whole
from sottovoce.store.databases.base import Database
from sottovoce.store.databases.locking import FileLock, inode_of
from sottovoce.store.errors import StoreBusy, StoreDown, StoreFull

__all__ = ["SQLite"]

_LOG = logging.getLogger(__name__)
_MODE = 0o600
"""The collector alone reads and writes its files."""
_WAIT = 10.0
"""Seconds to wait for another process that holds the file for a moment."""
_CACHE_KIB = 64 * 1024
_LOG_PAGES = 16 * 1024
"""Pages in the write-ahead log after which it is emptied."""
_LOG_BYTES = 64 * 2**20
"""Bytes that the file of an emptied log may keep."""
_IDLE = 2.0
"""Seconds after which also a short log is emptied."""
_ROOM = 2**20
"""With less than this free, an error of writing is taken for a full disk."""


class SQLite(Database):
    """A store in one SQLite file."""

    name = "sqlite"
    known_sql = """WITH RECURSIVE place(i) AS
        (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < :n)
        SELECT group_concat(i) FROM place WHERE EXISTS
        (SELECT 1 FROM reports WHERE survey = :survey AND id_hash = substr(:ids, 16 * i + 1, 16))"""
    insert_sql = """WITH RECURSIVE place(i) AS
        (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < :n)
        INSERT INTO reports (survey, id_hash, "window", state, "row")
        SELECT :survey, substr(:ids, 16 * i + 1, 16), :window, 0, substr(:rows, :width * i + 1, :width)
        FROM place"""
    used_sql = """WITH RECURSIVE place(i) AS
        (SELECT 0 UNION ALL SELECT i + 1 FROM place WHERE i + 1 < :n)
        SELECT group_concat(i || ':' || used) FROM place CROSS JOIN tokens
        ON "window" = :window AND token = substr(:tokens, 32 * i + 1, 32)"""
    charge_sql = """INSERT INTO tokens ("window", token, used)
        SELECT :window, substr(:tokens, 32 * key + 1, 32), value FROM json_each(:used) WHERE true
        ON CONFLICT ("window", token) DO UPDATE SET used = excluded.used"""
    begin_read_sql = "BEGIN"
    begin_write_sql = "BEGIN IMMEDIATE"

    def __init__(self, path: Path, *, writable: bool) -> None:
        self.path = _resolved(path)
        with self._system_errors():
            if writable:
                self._make_file()
            elif not self.path.is_file():
                allowed = "a store that is there already"
                raise InvalidInput("store", "open_store", allowed, str(path))
            self._check_one_name()
            self._file = FileLock(self.path)
        engine = create_engine(
            "sqlite://", creator=self._connect, isolation_level="AUTOCOMMIT", poolclass=QueuePool
        )

        @event.listens_for(engine, "connect")
        def prepare(connection: sqlite3.Connection, _record: Any) -> None:
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute("PRAGMA temp_store = MEMORY")
            if not writable:
                connection.execute("PRAGMA query_only = ON")

        super().__init__(engine, str(self.path))
        self._pages, self._wake, self._closing = 0, threading.Event(), False
        self._emptier: threading.Thread | None = None

    # -- the file ------------------------------------------------------------------------

    def _make_file(self) -> None:
        """Make the file for its owner alone; SQLite gives its other files the same mode."""
        if not self.path.parent.is_dir():
            raise InvalidInput("store", "open_store", "in a folder that exists", str(self.path))
        if self.path.exists() and not self.path.is_file():
            raise InvalidInput("store", "open_store", "a file", str(self.path))
        log = Path(f"{self.path}-wal")
        if not _size(self.path) and _size(log):  # SQLite would remove it
            raise Unfit(
                f"{log} is the log of a store, and {self.path} is missing or empty: put the "
                "store back next to its log, or move the log away"
            )
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))
            self.path.chmod(_MODE)  # whatever the umask

    def _check_one_name(self) -> None:
        names = self.path.stat().st_nlink
        if names > 1:
            raise InvalidInput(
                "store",
                "open_store",
                "a file with one name",
                f"{names} names (hard links)",
                hint=f"{self.path}: SQLite keeps its log next to the name it was opened by, so another "
                "name does not show everything. Remove the other names.",
            )

    @contextmanager
    def _system_errors(self) -> Iterator[None]:
        """What the operating system refuses, as errors of the store."""
        try:
            yield
        except OSError as error:
            kind = StoreFull if error.errno == errno.ENOSPC else StoreDown
            raise kind(f"{self.path} cannot be used: {error.strerror}") from error

    def check_place(self) -> None:
        """A file that was moved or replaced is neither made anew nor mixed with another."""
        try:
            same = inode_of(self.path) == self._file.inode
        except OSError:
            same = False
        if not same:
            raise StoreDown(
                f"{self.path} was moved, removed or replaced while it was in use: put the file "
                "back, or stop the collector and start it with the right one"
            )

    def _connect(self) -> sqlite3.Connection:
        """A connection to the file that is there; it is never made by SQLite."""
        self.check_place()
        return sqlite3.connect(
            f"{self.path.as_uri()}?mode=rw",
            uri=True,
            timeout=_WAIT,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=64,
        )

    def claim(self) -> None:
        """Lock the file for as long as the process lives."""
        try:
            claimed = self._file.claim()
        except sqlite3.OperationalError as error:
            raise self.translate(error) or error from error
        if not claimed:
            raise StoreBusy(
                f"another collector writes to {self.path}; stop it first, "
                "or open the store with writable=False"
            )
        self._emptier = threading.Thread(target=self._empty_log, name="checkpoints", daemon=True)
        self._emptier.start()

    def prepare_writing(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            "secure_delete = ON",
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {_LOG_BYTES}",
        ):
            driver.execute(f"PRAGMA {pragma}").fetchall()
        found = [
            driver.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        ]
        if found != ["wal", 2, 1, 1]:
            raise StoreDown(
                f"{self.path} cannot be written durably: journal_mode, synchronous, foreign_keys, "
                f"secure_delete are {found}"
            )
        with self._system_errors():  # what is there from before may be open to others
            for each in sqlite_files(self.path):
                if each.exists() and each.stat().st_mode & 0o077:
                    each.chmod(_MODE)

    def translate(self, error: Exception) -> Exception | None:
        cause = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if not isinstance(cause, sqlite3.Error) or code == sqlite3.SQLITE_ERROR:
            return None
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return CorruptBytes(f"{self.path} is not an SQLite database, or is damaged: {cause}")
        failed = code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        if code == sqlite3.SQLITE_FULL or (failed and self._no_room()):
            return StoreFull(f"no room for {self.path}: {cause}")
        if isinstance(cause, sqlite3.OperationalError):
            return StoreDown(f"{self.path} cannot be used: {cause}")
        return None

    def _no_room(self) -> bool:
        try:
            return shutil.disk_usage(self.path.parent).free < _ROOM
        except OSError:
            return False

    # -- the log -------------------------------------------------------------------------

    def wrote(self, rows: int) -> None:
        """Every random id is in a page of its own, as soon as there are many."""
        self._pages += rows + 8
        if self._pages >= _LOG_PAGES:
            self._wake.set()

    def _empty_log(self) -> None:
        while not self._closing:
            self._wake.wait(_IDLE)
            self._wake.clear()
            try:
                if not self._leave_if_moved() and self._pages and not self._closing:
                    self.empty_log()
            except (sqlite3.Error, StoreDown) as error:
                _LOG.warning("the log of the store was not emptied: %s", type(error).__name__)

    def empty_log(self) -> None:
        """Two passes beside the writer, each shorter than the one before, and one with it."""
        with closing(self._connect()) as beside:
            beside.execute("PRAGMA synchronous = FULL")
            for _ in range(2):
                beside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            with self.lock:
                beside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                self._pages = 0

    def _leave_if_moved(self) -> bool:
        """Empty the log of a file that was moved into it, through what is still open.

        The file is then whole, and its log, which did not move, cannot be taken for that of
        another file that is put in its place.
        """
        try:
            self.check_place()
        except StoreDown:
            with self.lock:
                if self._connection is not None:
                    driver: Any = self._connection.connection.driver_connection
                    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return True
        return False

    # -- the rest ------------------------------------------------------------------------

    def integrity(self, connection: Connection) -> list[str]:
        found = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check")]
        strays = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
        wrong = [f"integrity: {text}" for text in found if text != "ok"]
        return wrong + [f"foreign key: {tuple(row)}" for row in strays]

    def backup(self, path: str) -> None:
        target = Path(path)
        if target.exists():
            raise InvalidInput("path", "a backup", "that of no file yet", path)

        def fill(part: Path) -> None:
            with closing(self._connect()) as source:
                source.execute("VACUUM INTO ?", (str(part),))  # sees one moment, holds up nobody

        try:
            write_whole(target, fill, private=True)
        except sqlite3.Error as error:
            raise self.translate(error) or error from error

    def close(self) -> None:
        self._closing = True
        self._wake.set()
        if self._emptier is not None:
            self._emptier.join()
            with suppress(sqlite3.Error):
                self._leave_if_moved()
        super().close()
        self._file.release()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _resolved(path: Path) -> Path:
    """The file itself, without links on the way: its log and its lock are beside it."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInput("store", "open_store", "a file", str(path)) from error

"""What a store asks of a database: transactions, and the few statements that must be fast.

A statement of the hot path takes all its rows at once, side by side in one value, and
takes them apart in SQL.  The driver then lets go of Python's lock once a statement instead
of once a row, and waits for it once: beside a busy event loop that is most of the speed.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine

from sottovoce.store.errors import StoreDown

__all__ = ["Database"]


class Database(ABC):
    """One database, with one connection that writes and any number that read."""

    name: ClassVar[str]
    known_sql: ClassVar[str]
    """Places, among hashes of ids side by side, of those that the survey has: one text, or NULL."""
    insert_sql: ClassVar[str]
    used_sql: ClassVar[str]
    """``place:used`` of tokens side by side that were used before: one text, or NULL."""
    charge_sql: ClassVar[str]
    change_sql = """INSERT INTO changes ("window", sign, reports, "rows")
        VALUES (:window, :sign, :reports, :rows)"""
    count_sql = """UPDATE windows SET stored = stored + :stored, duplicates = duplicates + :duplicates
        WHERE number = :window"""
    refuse_sql = """INSERT INTO refusals (fingerprint, code, reports)
        VALUES (:fingerprint, :code, :reports)
        ON CONFLICT (fingerprint, code) DO UPDATE SET reports = refusals.reports + excluded.reports"""
    first_tally_sql = """INSERT INTO tallies ("window", folds, n, cells)
        VALUES (:window, 1, :n, :cells) ON CONFLICT ("window") DO NOTHING"""
    begin_read_sql: ClassVar[str]
    begin_write_sql: ClassVar[str]

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine, self.where = engine, where
        self.lock = threading.RLock()
        self._connection: Connection | None = None

    # -- what a kind of database says ----------------------------------------------------

    @abstractmethod
    def prepare_writing(self, connection: Connection) -> None:
        """Make a new writing connection durable, and see that it is."""

    @abstractmethod
    def translate(self, error: Exception) -> Exception | None:
        """The error of ours that a driver's error is; None where it is a fault of ours."""

    @abstractmethod
    def claim(self) -> None:
        """Become the only collector of this database, or refuse."""

    def check_place(self) -> None:
        """Refuse a database that is no longer where it was opened."""

    @abstractmethod
    def integrity(self, connection: Connection) -> list[str]:
        """What the database finds wrong with itself."""

    @abstractmethod
    def backup(self, path: str) -> None:
        """A copy of all that is committed, while others write."""

    def wrote(self, rows: int) -> None:
        """So many rows were committed."""

    # -- transactions --------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction on the writing connection: durable when left, or nothing of it."""
        with self.lock:
            try:
                self.check_place()
                connection = self._open()
                self.run(connection, self.begin_write_sql)
                yield connection
                self.run(connection, "COMMIT")
            except BaseException as error:
                self._undo()
                ours = self.translate(error) if isinstance(error, Exception) else None
                if ours is not None:
                    if isinstance(ours, StoreDown):
                        self.hang_up()
                    raise ours from error
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one moment of the store and changes nothing."""
        try:
            self.check_place()
            with self.engine.connect() as connection:
                self.run(connection, self.begin_read_sql)
                try:
                    yield connection
                finally:
                    self._roll_back(connection)
        except Exception as error:
            ours = self.translate(error)
            if ours is not None:
                raise ours from error
            raise

    def _open(self) -> Connection:
        if self._connection is None:
            connection = self.engine.connect()
            try:
                self.prepare_writing(connection)
            except BaseException:
                connection.detach()
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _undo(self) -> None:
        """Roll back; a connection that cannot is given up, and with it its transaction."""
        if self._connection is None:
            return
        try:
            self._roll_back(self._connection)
        except Exception:
            self.hang_up()

    @staticmethod
    def _roll_back(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        driver.rollback()

    def hang_up(self) -> None:
        """Give up the writing connection; the next transaction makes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.invalidate()
                connection.close()
            except Exception:  # noqa: S110  (it is broken, and that is why it goes)
                pass

    def close(self) -> None:
        with self.lock:
            self.hang_up()
            self.engine.dispose()

    # -- the hot path ----------------------------------------------------------------------

    def one(self, connection: Connection, sql: str, values: dict[str, Any]) -> Any:
        """The single value that a statement of the hot path gives."""
        driver: Any = connection.connection.driver_connection
        return driver.execute(sql, values).fetchone()[0]

    def run(self, connection: Connection, sql: str, values: dict[str, Any] | None = None) -> int:
        """Run a statement of the hot path, straight through the driver: how many rows it wrote."""
        driver: Any = connection.connection.driver_connection
        return int(driver.execute(sql, values or {}).rowcount)

"""PostgreSQL: a server that syncs its log at every commit; one collector writes.

The writing session holds an advisory lock.  A server that was killed has dropped it, and
the next transaction connects again and takes it anew.
"""

from __future__ import annotations

import re
import time
from typing import Any

from sqlalchemy import Connection, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.extras import optional
from sottovoce.store.databases.base import Database
from sottovoce.store.errors import StoreBusy, StoreDown, StoreFull

__all__ = ["Postgres"]

_CONNECT_SECONDS = 3
_LOCK = 0x736F74746F766F  # "sottovo": one collector a database
_LOCK_ATTEMPTS, _LOCK_PAUSE = 10, 0.05
"""How often the lock is tried, and the seconds between."""
_FULL = ("53100", "53400")
"""disk_full, configuration_limit_exceeded (a quota on temporary files)."""
_DOWN = ("08", "53", "57", "58", "25006", "55P03")
"""Connections, resources, shutdown, input and output, read-only standby, lock not available."""


def _driver_form(sql: str) -> str:
    """Named parameters as psycopg writes them, sent as bytes rather than as text."""
    return re.sub(r":(\w+)", r"%(\1)b", sql)


class Postgres(Database):
    """A store in a PostgreSQL database."""

    name = "postgresql"
    known_sql = _driver_form("""SELECT string_agg(CAST(i AS text), ',')
        FROM generate_series(0, :n - 1) AS i WHERE EXISTS
        (SELECT 1 FROM reports WHERE survey = :survey AND id_hash = substring(:ids, 16 * i + 1, 16))""")
    insert_sql = _driver_form("""INSERT INTO reports (survey, id_hash, "window", state, "row")
        SELECT :survey, substring(:ids, 16 * i + 1, 16), :window, 0,
        substring(:rows, :width * i + 1, :width) FROM generate_series(0, :n - 1) AS i""")
    used_sql = _driver_form("""SELECT string_agg(i || chr(58) || used, ',')
        FROM generate_series(0, :n - 1) AS i JOIN tokens
        ON "window" = :window AND token = substring(:tokens, 32 * i + 1, 32)""")
    charge_sql = _driver_form("""INSERT INTO tokens ("window", token, used)
        SELECT :window, substring(:tokens, 32 * CAST(place AS integer) - 31, 32), CAST(value AS bigint)
        FROM json_array_elements_text(CAST(CAST(:used AS text) AS json))
        WITH ORDINALITY AS given (value, place)
        ON CONFLICT ("window", token) DO UPDATE SET used = excluded.used""")
    change_sql = _driver_form(Database.change_sql)
    count_sql = _driver_form(Database.count_sql)
    first_tally_sql = _driver_form(Database.first_tally_sql)
    refuse_sql = _driver_form(Database.refuse_sql)
    begin_read_sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    begin_write_sql = "BEGIN"

    def __init__(self, url: str, *, writable: bool) -> None:
        self._psycopg = optional("psycopg", extra="postgres", purpose="a store in PostgreSQL")
        try:
            address = make_url(url).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError) as error:
            allowed = "postgresql://user:password@host/database"
            raise InvalidInput("store", "open_store", allowed, "another address") from error
        engine = create_engine(
            address,
            isolation_level="AUTOCOMMIT",
            pool_pre_ping=True,
            connect_args={"connect_timeout": _CONNECT_SECONDS},
        )
        super().__init__(engine, address.render_as_string(hide_password=True))
        self.writable = writable

    def claim(self) -> None:
        """Connect, which takes the lock."""
        try:
            self._open()
        except StoreBusy:
            raise
        except Exception as error:
            raise self.translate(error) or error from error

    def prepare_writing(self, connection: Connection) -> None:
        ask = connection.exec_driver_sql
        ask("SET synchronous_commit = on")
        found = [ask(f"SHOW {name}").scalar() for name in ("synchronous_commit", "fsync")]
        if found != ["on", "on"]:
            raise StoreDown(
                f"{self.where} cannot be written durably: synchronous_commit and fsync are {found}"
            )
        if not self._takes_lock(connection):
            raise StoreBusy(
                f"another collector writes to {self.where}; stop it first, "
                "or open the store with writable=False"
            )

    def _takes_lock(self, connection: Connection) -> bool:
        """Take the lock; a session that was just closed may hold it for a moment longer."""
        for _ in range(_LOCK_ATTEMPTS):
            if connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({_LOCK})").scalar():
                return True
            time.sleep(_LOCK_PAUSE)
        return False

    def translate(self, error: Exception) -> Exception | None:
        if isinstance(error, StoreBusy):  # after a lost connection, whose session may still live
            return StoreDown(str(error))
        cause: Any = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, self._psycopg.Error):
            return None
        code = getattr(cause, "sqlstate", None) or ""
        if code in _FULL:
            return StoreFull(f"no room in {self.where}: {cause}")
        lost = isinstance(cause, self._psycopg.OperationalError | self._psycopg.InterfaceError)
        if code.startswith(_DOWN) or (lost and not code):
            return StoreDown(f"{self.where} cannot be used: {cause}")
        return None

    def integrity(self, connection: Connection) -> list[str]:
        """PostgreSQL tells of damage when it reads it; constraints are always held."""
        return []

    def backup(self, path: str) -> None:
        raise Unfit(
            f"a backup of {self.where} is made by PostgreSQL itself: "
            f"pg_dump --format=custom --file={path} with the address of the store"
        )

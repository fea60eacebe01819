"""Open a store by its address: find the database, claim it, bring its schema up to date."""

from __future__ import annotations

import os
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.store.databases.base import Database
from sottovoce.store.databases.sqlite import SQLite
from sottovoce.store.store import Store

__all__ = ["migrate", "open_store"]

_MIGRATIONS = Path(__file__).parent / "migrations"
_ADDRESS = "a file, sqlite:///file, or postgresql://user:password@host/database"


def open_store(url: str | os.PathLike[str], *, writable: bool = True) -> Store:
    """Open the store of a collector, made or upgraded where needed; one collector at a time.

    ``writable=False`` opens it beside a running collector, only to read.

    >>> import sottovoce as sv, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> survey = sv.Survey("rain", "Does it rain?", sv.mechanism("grr", sv.Categories(2), 1.0))
    >>> with open_store(f"{folder.name}/collector.db") as store:
    ...     store.publish(survey), store.publish(survey)
    (True, False)
    >>> folder.cleanup()
    """
    database = _database(url, writable=writable)
    try:
        if writable:
            database.claim()
            with database.writing() as connection:
                migrate(connection)
        else:
            with database.reading() as connection:
                _check_revision(connection, database)
        return Store(database, writable=writable)
    except BaseException:
        database.close()
        raise


def _database(url: str | os.PathLike[str], *, writable: bool) -> Database:
    if isinstance(url, os.PathLike):
        return SQLite(Path(url), writable=writable)
    if not isinstance(url, str) or not url:
        raise InvalidInput("store", "open_store", _ADDRESS, url)
    kind, separator, rest = url.partition("://")
    if not separator:
        return SQLite(Path(url), writable=writable)
    if kind == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return SQLite(Path(rest[1:]), writable=writable)
    if kind in ("postgresql", "postgres"):
        from sottovoce.store.databases.postgres import Postgres

        return Postgres(f"postgresql://{rest}", writable=writable)
    raise InvalidInput("store", "open_store", _ADDRESS, f"{kind}://...")


def _scripts() -> tuple[Config, ScriptDirectory]:
    config = Config()
    location = str(_MIGRATIONS).replace("%", "%%")  # its reader expands %(name)s
    config.set_main_option("script_location", location)
    return config, ScriptDirectory.from_config(config)


def migrate(connection: Connection, to: str = "head") -> None:
    """Bring the schema to a revision, the newest by default, within the transaction at hand."""
    config, scripts = _scripts()
    here = MigrationContext.configure(connection).get_current_revision()
    if here == scripts.get_current_head():
        return
    _check_known(here, scripts)
    config.attributes["connection"] = connection
    with EnvironmentContext(config, scripts, fn=lambda now, _: scripts._upgrade_revs(to, now)):
        scripts.run_env()


def _check_known(revision: str | None, scripts: ScriptDirectory) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if revision is not None and revision not in known:
        raise Unfit(
            f"the store has schema {revision}, this version of sottovoce knows "
            f"{', '.join(sorted(known))}: use the version that wrote it, or a newer one"
        )


def _check_revision(connection: Connection, database: Database) -> None:
    """A reader cannot upgrade a store."""
    _, scripts = _scripts()
    revision = MigrationContext.configure(connection).get_current_revision()
    _check_known(revision, scripts)
    if revision != scripts.get_current_head():
        raise Unfit(
            f"the store in {database.where} has schema {revision}, not "
            f"{scripts.get_current_head()}: start its collector once, which upgrades it"
        )

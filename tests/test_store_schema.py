"""The schema: what migrations make is what is declared, and old stores are brought up to it."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

import sottovoce.store.opening as opening
from sottovoce.core.errors import CorruptBytes, Unfit
from sottovoce.store import Receipt, open_store
from sottovoce.store.schema import metadata
from stores import DAY, Place, place, server, submission, survey_of

__all__ = ["place", "server"]
SURVEY = survey_of()
F = SURVEY.fingerprint
OLD = Path(__file__).parent / "old" / "store.1.sql"


def shape(connection):
    """Tables, columns, keys and constraints, as the database tells them."""
    found = inspect(connection)
    tables = set(found.get_table_names()) - {"alembic_version"}
    return {
        table: (
            {c["name"]: (str(c["type"]), c["nullable"]) for c in found.get_columns(table)},
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(u["column_names"] for u in found.get_unique_constraints(table)),
            sorted(
                (f["constrained_columns"], f["referred_table"], f["referred_columns"])
                for f in found.get_foreign_keys(table)
            ),
        )
        for table in tables
    }


def test_migrations_make_what_is_declared(place, tmp_path):
    with place.open() as store, store.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        migrated = shape(connection)
        assert context.get_current_revision() == opening._scripts()[1].get_current_head()
    if place.kind == "sqlite":
        engine = create_engine(f"sqlite:///{tmp_path}/declared.db")
        metadata.create_all(engine)
        with engine.connect() as connection:
            assert shape(connection) == migrated
            declared = dict(
                connection.execute(text("SELECT name, wr FROM pragma_table_list")).all()
            )
        with sqlite3.connect(place.url) as connection:
            found = dict(connection.execute("SELECT name, wr FROM pragma_table_list"))
        assert {name: found[name] for name in declared} == declared
        assert declared["tokens"] == declared["reports"] == 1  # no order of arrival


def test_an_old_schema_is_upgraded_with_all_that_it_holds(tmp_path):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD.read_text())
    with pytest.raises(Unfit, match="has schema 1, not 2: start its collector once"):
        open_store(path, writable=False)
    with open_store(path) as store:
        (found,) = store.surveys().values()
        f = found.survey.fingerprint
        assert store.check() == []
        counts = store.counts(f)
        assert (counts.stored, counts.duplicates, counts.deleted) == (12, 3, 1)
        assert counts.refused == {"wrong-payload": 2}
        assert store.tally(f, [DAY]).n == 11
        with store.database.reading() as connection:
            assert connection.execute(text("SELECT scrubbed FROM windows")).scalar() == 7
        assert store.write([submission(found.survey, 12)]) == [Receipt(0, 12)]


def test_upgrading_postgresql_step_by_step(server):
    place = Place("postgresql", server.new_database())
    database = opening._database(place.url, writable=True)
    database.claim()
    with database.writing() as connection:
        opening.migrate(connection, "1")
        assert "scrubbed" not in {c["name"] for c in inspect(connection).get_columns("windows")}
    database.close()
    with place.open() as store:
        store.publish(SURVEY)
        assert store.write([submission(SURVEY)]) == [Receipt(10, 0)]
        assert store.check() == []


def test_an_upgrade_that_fails_leaves_the_old_schema(tmp_path, monkeypatch):
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD.read_text())
    before = list(sqlite3.connect(path).iterdump())
    real = opening.EnvironmentContext.__exit__

    def fail(self, *rest):
        real(self, *rest)
        raise RuntimeError("power is gone")

    monkeypatch.setattr(opening.EnvironmentContext, "__exit__", fail)
    with pytest.raises(RuntimeError):
        open_store(path)
    assert list(sqlite3.connect(path).iterdump()) == before
    monkeypatch.undo()
    with open_store(path) as store:
        assert store.check() == []


def test_a_newer_schema_is_left_alone(place):
    with place.open() as store, store.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '99'"))
    for writable in (True, False):
        with pytest.raises(Unfit, match=r"schema 99, this version of sottovoce knows 1, 2"):
            place.open(writable=writable)


def test_a_file_that_is_no_database_is_not_touched(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Dear reader, " * 100)
    for writable in (True, False):
        with pytest.raises(CorruptBytes, match="is no SQLite database"):
            open_store(path, writable=writable)
    assert path.read_bytes() == b"Dear reader, " * 100


def test_no_column_is_about_time_or_sender():
    names = {column.name for table in metadata.tables.values() for column in table.columns}
    assert not [n for n in names if re.search("time|date|address|agent|sender|when|_at$", n)]
    assert {table.name for table in metadata.sorted_tables} == {
        "surveys",
        "windows",
        "reports",
        "changes",
        "tallies",
        "releases",
        "waiting",
        "tokens",
        "refusals",
    }

"""The schema: what migrations make is what is declared, and old stores are brought up to it."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

import sottovoce.store.opening as opening
from sottovoce.base.errors import CorruptBytes, Unfit
from sottovoce.store import Receipt, open_store
from sottovoce.store.schema import metadata
from support.stores import DAY, Place, place, server, submission, survey_of

__all__ = ["place", "server"]
SURVEY = survey_of()
F = SURVEY.fingerprint
OLD = Path(__file__).parents[1] / "old" / "store.1.sql"


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
        assert (
            declared["tokens"] == declared["reports"] == declared["meta"] == 1
        )  # no order of arrival


STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "3", "2"


def upgrade():
    op.add_column("refusals", sa.Column("note", sa.Text))
"""


def migrations_in(folder, monkeypatch, *steps):
    """The steps that there are, and further ones, in a folder of their own."""
    shutil.copytree(opening._MIGRATIONS, folder / "migrations")
    for number, step in enumerate(steps):
        (folder / "migrations" / "versions" / f"further_{number}.py").write_text(step)
    monkeypatch.setattr(opening, "_MIGRATIONS", folder / "migrations")


def old_store(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text())
    return path


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def check_old(path):
    with open_store(path) as store:
        (found,) = store.surveys().values()
        f = found.survey.fingerprint
        assert store.check() == []
        counts = store.counts(f)
        assert (counts.stored, counts.duplicates, counts.deleted) == (12, 3, 1)
        assert counts.refused == {"wrong-payload": 2}
        assert store.tally(f, [DAY]).n == 11
        assert store.kept(f) == {DAY: 4}
        assert store.write([submission(found.survey, 12)]) == [Receipt(0, 12)]


def test_an_old_store_opens_with_all_that_it_holds(tmp_path):
    check_old(old_store(tmp_path / "old.db"))


def test_an_old_schema_is_upgraded_with_all_that_it_holds(tmp_path, monkeypatch):
    path = old_store(tmp_path / "old.db")
    migrations_in(tmp_path, monkeypatch, STEP)
    with pytest.raises(Unfit, match="has schema 1, not 3: start its collector once"):
        open_store(path, writable=False)
    check_old(path)
    assert any("note TEXT" in line for line in dump(path))


def test_upgrading_postgresql_step_by_step(server, tmp_path, monkeypatch):
    place = Place("postgresql", server.new_database())
    with place.open() as store:
        store.publish(SURVEY)
    migrations_in(tmp_path, monkeypatch, STEP)
    with place.open() as store, store.database.reading() as connection:
        assert "note" in {c["name"] for c in inspect(connection).get_columns("refusals")}
        assert store.write([submission(SURVEY)]) == [Receipt(10, 0)]
        assert store.check() == []


def test_an_upgrade_that_fails_leaves_the_old_schema(tmp_path, monkeypatch):
    path = old_store(tmp_path / "old.db")
    before = dump(path)
    with monkeypatch.context() as patched:
        fails = STEP + "    raise RuntimeError('power is gone')\n"
        migrations_in(tmp_path, patched, fails)
        with pytest.raises(RuntimeError):
            open_store(path)
    assert dump(path) == before
    check_old(path)


def test_a_percent_sign_in_the_path_of_the_program_is_no_matter(tmp_path, monkeypatch):
    (tmp_path / "50%(here)s").mkdir()
    migrations_in(tmp_path / "50%(here)s", monkeypatch)
    with open_store(tmp_path / "collector.db") as store:
        assert store.check() == []


def test_a_store_without_its_key_is_refused(place):
    with place.open() as store, store.database.writing() as connection:
        connection.execute(text("DELETE FROM meta WHERE name = 'id-key'"))
    with pytest.raises(CorruptBytes, match="lost the key of its report ids: restore a backup"):
        place.open()


def test_a_newer_schema_is_left_alone(place):
    with place.open() as store, store.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '99'"))
    for writable in (True, False):
        with pytest.raises(
            Unfit, match=r"schema 99, this version of sottovoce knows 1, 2: use the version"
        ):
            place.open(writable=writable)


def test_a_file_that_is_no_database_is_not_touched(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Dear reader, " * 100)
    path.chmod(0o644)
    for writable in (True, False):
        with pytest.raises(CorruptBytes, match="is not an SQLite database"):
            open_store(path, writable=writable)
    assert path.read_bytes() == b"Dear reader, " * 100
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [path]


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
        "meta",
        "publications",
    }

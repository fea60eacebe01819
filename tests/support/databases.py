"""Databases to run queries in: SQLite, DuckDB and a real PostgreSQL, each with a table of reports."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.core.registry import registered
from sottovoce.engines.sql.dialects import DIALECTS
from support.stores import running_server

KINDS = ("sqlite", "duckdb", "postgres")
ONE_CELL = [m for cls in registered() for m in cls.examples() if m.cell_expression() is not None]
each_of_one_cell = pytest.mark.parametrize("one_cell", ONE_CELL, ids=lambda m: m.name)
"""The examples of mechanisms of which a report falls in one cell."""


class Database:
    """One database; ``columns`` of a query are lists by name."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    def load(self, table, columns) -> None:
        """Make the table anew from lists of Python values."""
        name = DIALECTS[self.dialect].table(table)
        quote = DIALECTS[self.dialect].name_of
        defined = ", ".join(f"{quote(c)} {self.type_of(items)}" for c, items in columns.items())
        self.execute(f"DROP TABLE IF EXISTS {name}")
        self.execute(f"CREATE TABLE {name} ({defined})")
        self.insert(name, list(columns), list(zip(*columns.values(), strict=True)))

    def type_of(self, items) -> str:
        kinds = {type(item) for item in items if item is not None}
        if str in kinds:
            return DIALECTS[self.dialect].text
        return DIALECTS[self.dialect].real if float in kinds else DIALECTS[self.dialect].integer

    def insert(self, name, columns, rows) -> None:
        marks = ", ".join("?" for _ in columns)
        self.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608

    def execute(self, sql) -> None:
        self.connection.execute(sql)

    def columns(self, sql) -> dict:
        """The result of a query."""
        found = self.connection.execute(sql)
        names = [each[0] for each in found.description]
        rows = found.fetchall()
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}


class Sqlite(Database):
    def __init__(self) -> None:
        super().__init__("sqlite")
        self.connection = sqlite3.connect(":memory:")


class Duckdb(Database):
    def __init__(self) -> None:
        super().__init__("duckdb")
        self.connection = pytest.importorskip("duckdb").connect(config={"threads": 1})

    def insert(self, name, columns, rows) -> None:
        import pyarrow as pa

        arrays = [pa.array(column) for column in zip(*rows, strict=True)]
        self.connection.register("rows_of", pa.table(arrays, names=columns))
        self.execute(f"INSERT INTO {name} SELECT * FROM rows_of")  # noqa: S608


class Postgres(Database):
    def __init__(self) -> None:
        import psycopg

        super().__init__("postgres")
        self.connection = psycopg.connect(running_server().new_database(), autocommit=True)

    def insert(self, name, columns, rows) -> None:
        with self.connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def database_of(kind: str) -> Database:
    return {"sqlite": Sqlite, "duckdb": Duckdb, "postgres": Postgres}[kind]()


def reports_of(mechanism, count=400, seed=1):
    """Reports of random answers."""
    inputs = np.random.default_rng(seed).integers(0, mechanism.domain.size, count)
    return mechanism.randomize_indices(inputs, sv.Seeded(seed))


def lists_of(reports) -> dict:
    """The columns of reports, as Python has them."""
    return {name: column.tolist() for name, column in reports.columns.items()}

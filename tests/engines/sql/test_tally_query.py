"""Counting inside a database gives the library's tallies, byte by byte; bad rows do not vanish."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.engines.sql.dialects import DIALECTS
from sottovoce.engines.sql.results import tallies_of_result
from support.databases import KINDS, ONE_CELL, database_of, each_of_one_cell, lists_of, reports_of

REGIONS = ["north", "south", 'o\'west \\ "east"']
GRR = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
OLH = sv.mechanism("olh", sv.Categories(40), 2.0)


@pytest.fixture(scope="module", params=KINDS)
def database(request):
    return database_of(request.param)


def test_every_mechanism_of_one_cell_has_an_expression(mechanism):
    expression = mechanism.cell_expression()
    assert (expression is None) == (mechanism.blocks > 1)
    if expression is None:
        with pytest.raises(Unfit, match="falls in several cells"):
            sv.tally_sql(mechanism, "reports")


@each_of_one_cell
def test_tallies_are_those_of_the_library(one_cell, database):
    reports = reports_of(one_cell)
    groups = np.arange(len(reports)) % 3
    table = lists_of(reports) | {"window": [REGIONS[g] for g in groups]}
    database.load('odd "name', table)
    found = database.columns(sv.tally_sql(one_cell, 'odd "name', dialect=database.dialect))
    assert sorted(found) == ["cell", "mechanism", "reports"]
    whole = sv.Tally.from_counts(one_cell, found["cell"], found["reports"])
    assert whole.to_bytes() == one_cell.tally(reports).to_bytes()
    query = sv.tally_sql(one_cell, ['odd "name'], by="window", dialect=database.dialect)
    tallies = tallies_of_result(one_cell, database.columns(query), "window", "the result")
    assert sorted(tallies) == sorted(REGIONS)
    for group, region in enumerate(REGIONS):
        rows = {name: column[groups == group] for name, column in reports.columns.items()}
        part = one_cell.tally(sv.Reports(one_cell, rows, simulated=True))
        assert tallies[region].to_bytes() == part.of_window(region).to_bytes()


@each_of_one_cell
def test_any_report_has_the_cell_of_the_library(one_cell, database):
    """Also reports that are rarely drawn: fields at random, and at both ends."""
    random = np.random.default_rng(2)
    columns = {
        field.name: np.concatenate([random.integers(0, field.size, 200), [0, field.size - 1]])
        for field in one_cell.fields
    }
    reports = sv.Reports(one_cell, columns, simulated=True)
    database.load("reports", lists_of(reports))
    found = database.columns(sv.tally_sql(one_cell, "reports", dialect=database.dialect))
    tally = sv.Tally.from_counts(one_cell, found["cell"], found["reports"])
    assert tally.to_bytes() == one_cell.tally(reports).to_bytes()


def test_rows_without_a_cell_are_counted_and_refused(database):
    bad = {"hash": [0, None, 1, 8, 2, -1, 3], "cell": [0, 0, None, 1, 7, 1, 1]}
    assert (OLH.family.hashes, OLH.g) == (8, 7)
    database.load("reports", bad)
    found = database.columns(sv.tally_sql(OLH, "reports", dialect=database.dialect))
    counts = dict(zip(found["cell"], found["reports"], strict=True))
    assert counts == {0: 1, 22: 1, -1: 1, -2: 2, -3: 1, -4: 1}
    with pytest.raises(CorruptBytes) as refusal:
        sv.Tally.from_counts(OLH, found["cell"], found["reports"])
    for words in (
        "1 with an empty column 'hash'",
        "2 with column 'hash' outside its whole numbers from 0 to 7",
        "1 with an empty column 'cell'",
        "1 with column 'cell' outside its whole numbers from 0 to 6",
    ):
        assert words in str(refusal.value)


def test_fractions_are_outside(database):
    database.load("reports", {"value": [0.0, 1.0, 1.5, 0.25]})
    found = database.columns(sv.tally_sql(GRR, "reports", dialect=database.dialect))
    counts = dict(zip(found["cell"], found["reports"], strict=True))
    assert counts == {0: 1, 1: 1, -2: 2}


def test_text_is_not_counted_as_numbers(database):
    database.load("reports", {"value": ["tea", "1"]})
    query = sv.tally_sql(GRR, "reports", dialect=database.dialect)
    try:
        found = database.columns(query)
    except Exception as error:
        assert type(error).__module__.split(".")[0] in ("duckdb", "_duckdb", "psycopg")
        return
    with pytest.raises(CorruptBytes, match="1 with column 'value' outside"):
        sv.Tally.from_counts(GRR, found["cell"], found["reports"])


def test_a_missing_column_is_an_error_of_the_database(database):
    database.load("reports", {"values": [0, 1]})
    with pytest.raises(Exception, match="value"):
        database.columns(sv.tally_sql(GRR, "reports", dialect=database.dialect))
    database.load("reports", {"value": [0, 1]})
    with pytest.raises(Exception, match="region"):
        database.columns(sv.tally_sql(GRR, "reports", by="region", dialect=database.dialect))


def test_products_do_not_overflow_narrow_columns(database):
    """A cell of 2,000,000 from columns of 16 bits and less."""
    wide = sv.mechanism("local-hashing", sv.Categories(200_000), 7.0)
    assert wide.cells > 2**16
    reports = reports_of(wide, 50)
    database.load("reports", lists_of(reports))
    if database.dialect == "duckdb":
        database.execute("DROP TABLE reports")
        database.connection.register("narrow", reports.to_arrow())  # as Parquet has them
        database.execute("CREATE TABLE reports AS SELECT * FROM narrow")
    found = database.columns(sv.tally_sql(wide, "reports", dialect=database.dialect))
    assert sv.Tally.from_counts(wide, found["cell"], found["reports"]) == wide.tally(reports)


# -- the text of a query --------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    for mechanism in ONE_CELL:
        odd = "odd `n\"ame'"
        query = sv.tally_sql(mechanism, ["lake", odd], by=["window", "row no"], dialect=dialect)
        parsed = sqlglot.parse_one(query, dialect=dialect)
        names = [each.alias_or_name for each in parsed.selects]
        assert names == ["window", "row no", "mechanism", "cell", "reports"]
        (table,) = parsed.find_all(sqlglot.exp.Table)
        assert (table.db, table.name) == ("lake", odd)
        fields = {each.name for each in parsed.find_all(sqlglot.exp.Column)}
        assert {field.name for field in mechanism.fields} <= fields


def test_division_is_whole_in_every_dialect():
    wave = sv.mechanism("sw", sv.Interval(0, 1, bins=10), 1.0)
    divisions = {
        "duckdb": "// 65", "sqlite": "/ 65", "postgres": "/ 65", "trino": "/ 65", "spark": "div 65",
        "bigquery": "DIV(", "snowflake": "- MOD(",
    }  # fmt: skip
    assert set(divisions) == set(DIALECTS)
    for dialect, text in divisions.items():
        query = sv.tally_sql(wave, "reports", dialect=dialect)
        assert text.replace("65", str(wave.outputs)) in query


def test_names_of_tables():
    def table(name, dialect="duckdb"):
        return sv.tally_sql(GRR, name, dialect=dialect).splitlines()[-3].strip()

    assert table("lake.reports") == 'FROM "lake"."reports"'
    assert table('lake."v1.reports"') == 'FROM "lake"."v1.reports"'
    assert table('"a""b".c') == 'FROM "a""b"."c"'
    assert table(["lake", "v1.reports"]) == 'FROM "lake"."v1.reports"'
    assert table("a`b", "spark") == "FROM `a``b`"
    assert table("a`b\\c", "bigquery") == "FROM `a\\`b\\\\c`"
    for wrong in ("", [], ["lake", ""], "lake..reports", "a\0b", 3, [3]):
        with pytest.raises(InvalidInput, match="table of tally_sql must be a name"):
            sv.tally_sql(GRR, wrong)


def test_a_survey_is_as_good_as_its_mechanism():
    survey = sv.Survey("drinks", "Which?", GRR)
    assert sv.tally_sql(survey, "reports") == sv.tally_sql(GRR, "reports")
    with pytest.raises(
        InvalidInput, match="mechanism of tally_sql must be a Mechanism or a Survey"
    ):
        sv.tally_sql("grr", "reports")


def test_a_dialect_that_is_not_known():
    with pytest.raises(InvalidInput, match="Did you mean 'postgres'?"):
        sv.tally_sql(GRR, "reports", dialect="postgresql")


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("value", "'value' is a field of the reports"),
        ("VALUE", "'VALUE' is a field of the reports"),
        ("Cell", "The result has a column 'Cell' of its own"),
        ("reports", "The result has a column 'reports' of its own"),
        (["region", "Region"], "distinct columns"),
        ("", "names of columns"),
        ([3], "names of columns"),
        (3, "names of columns"),
    ],
)
def test_columns_that_cannot_be_grouped_by(by, words):
    with pytest.raises(InvalidInput, match=words):
        sv.tally_sql(GRR, "reports", by=by)


def test_what_64_bits_do_not_hold_is_refused(monkeypatch):
    def large(self) -> CellExpression:
        return FieldValue("value") * 2**62

    monkeypatch.setattr(type(GRR), "cell_expression", large)
    with pytest.raises(Unfit, match="can exceed the 64-bit whole numbers of SQL"):
        sv.tally_sql(GRR, "reports")

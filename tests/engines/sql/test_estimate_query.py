"""Shares and standard errors of the SQL are those of the library's unbiased estimate."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import label_text
from sottovoce.engines.sql.dialects import DIALECTS
from support.databases import KINDS, ONE_CELL, database_of, lists_of, reports_of

GRR = sv.mechanism("grr", sv.Categories(["tea", "o'coffee", "water \\ 'n"]), 1.0)


def has_sql(mechanism):
    try:
        return bool(sv.estimate_sql(mechanism, "reports"))
    except Unfit:
        return False


ORACLES = [m for m in ONE_CELL if has_sql(m)] + [GRR, sv.mechanism("olh", sv.Categories(64), 1.0)]


@pytest.fixture(scope="module", params=KINDS)
def database(request):
    return database_of(request.param)


def test_the_oracles_have_it():
    """All mechanisms with an exact unbiased estimate that is one sum over the cells."""
    assert {m.name for m in ORACLES} == {
        "hadamard-response", "local-hashing", "question-sets", "randomized-response",
        "sampled-coordinate", "sensitive-hashing", "sensitive-response", "table",
    }  # fmt: skip


def test_memoized_reports_are_estimated_window_by_window():
    m = sv.mechanism("memoized", sv.Categories(3), 1.0, lifetime=2.0)
    with pytest.raises(
        Unfit, match=r"count each window with tally_sql\(by=...\), then use sv.trend"
    ):
        sv.estimate_sql(m, "reports")


@pytest.mark.parametrize("about", ["respondents", "population"])
@pytest.mark.parametrize("mechanism_", ORACLES, ids=lambda m: f"{m.name}-{m.domain.size}")
def test_shares_and_errors_are_those_of_the_library(mechanism_, about, database):
    reports = reports_of(mechanism_)
    group = np.where(np.arange(len(reports)) % 4 == 0, "west", "east")
    database.load("reports", lists_of(reports) | {"region": group.tolist()})
    query = sv.estimate_sql(
        mechanism_, "reports", by="region", dialect=database.dialect, about=about
    )
    found = database.columns(query)
    assert list(found) == ["region", "value", "share", "stderr", "reports", "uncounted"]
    size = mechanism_.domain.size
    assert found["region"] == ["east"] * size + ["west"] * size
    assert found["value"] == [label_text(label) for label in mechanism_.domain.labels()] * 2
    assert set(found["uncounted"]) == {0}
    for k, region in enumerate(("east", "west")):
        rows = {name: column[group == region] for name, column in reports.columns.items()}
        tally = mechanism_.tally(sv.Reports(mechanism_, rows, simulated=True))
        known = sv.estimate(tally, "unbiased", about=about)
        part = slice(k * size, (k + 1) * size)
        assert set(found["reports"][part]) == {tally.n}
        assert np.abs(np.array(found["share"][part]) - known.shares).max() < 1e-9
        assert np.abs(np.array(found["stderr"][part]) - known.stderr).max() < 1e-9


def test_everybody_is_one_group(database):
    reports = reports_of(GRR)
    database.load("reports", lists_of(reports))
    found = database.columns(sv.estimate_sql(GRR, "reports", dialect=database.dialect))
    known = sv.estimate(GRR.tally(reports), "unbiased")
    assert np.abs(np.array(found["share"]) - known.shares).max() < 1e-9


def test_reports_without_a_cell_take_the_share_away(database):
    table = {"value": [0, 1, 2, 7, None, 0], "region": ["bad"] * 5 + ["good"]}
    database.load("reports", table)
    query = sv.estimate_sql(GRR, "reports", by="region", dialect=database.dialect)
    found = database.columns(query)
    assert found["uncounted"] == [2, 2, 2, 0, 0, 0]
    assert found["share"][:3] == found["stderr"][:3] == [None] * 3
    assert None not in found["share"][3:]


def test_groups_below_the_minimum_batch_have_no_rows(database):
    survey = sv.Survey("drinks", "Which?", GRR, minimum_batch=3)
    database.load("reports", {"value": [0, 1, 2, 0, 1], "region": ["big"] * 3 + ["small"] * 2})
    query = sv.estimate_sql(survey, "reports", by="region", dialect=database.dialect)
    assert database.columns(query)["region"] == ["big"] * 3


def test_a_table_without_rows_has_no_shares(database):
    database.load("reports", {"value": [0]})
    database.execute("DELETE FROM reports")
    found = database.columns(sv.estimate_sql(GRR, "reports", dialect=database.dialect))
    assert found["value"] == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses(dialect):
    sqlglot = pytest.importorskip("sqlglot")
    for mechanism in (
        ORACLES[0],
        ORACLES[2],
        GRR,
    ):  # a rule, one with blocks, a list with odd labels
        for about in ("respondents", "population"):
            query = sv.estimate_sql(mechanism, "reports", ["window"], dialect, about)
            parsed = sqlglot.parse_one(query, dialect=dialect)
            names = [each.alias_or_name for each in parsed.selects]
            assert names == ["window", "value", "share", "stderr", "reports", "uncounted"]
    values = {each.this for each in parsed.find_all(sqlglot.exp.Literal) if each.is_string}
    assert set(GRR.domain.labels()) <= values  # quotes and backslashes are read back as they were


@pytest.mark.parametrize(
    ("name", "domain", "words"),
    [
        ("oue", sv.Categories(4), "falls in several cells"),
        ("sw", sv.Interval(0, 1, bins=4), "no unbiased shares that are one sum over cells"),
        ("haar", sv.Interval(0, 1, bins=4), "no unbiased shares that are one sum over cells"),
        ("fixed-hashing", sv.Categories(9), "no unbiased shares that are one sum over cells"),
        ("hr", sv.Categories(17_000), "more than 16,384 rows of constants"),
        ("olh", sv.Categories(9000), "more than 16,384 rows of constants"),
        ("grr", sv.Categories(17_000), "more than 16,384 rows of constants"),
        ("table", sv.Categories(200), "more than 16,384 rows of constants"),
        ("grr", sv.Categories(["only"]), "has a single value"),
    ],
)
def test_what_sql_cannot_estimate(name, domain, words):
    weights = {"weights": (np.eye(200, dtype=int) + np.arange(1, 201)).tolist()}
    mechanism = sv.mechanism(name, domain, 1.0, **(weights if name == "table" else {}))
    with pytest.raises(Unfit, match=words):
        sv.estimate_sql(mechanism, "reports")


@pytest.mark.parametrize("name", ["grr", "olh", "hr"])
def test_hundreds_of_values(name):
    database, mechanism = database_of("duckdb"), sv.mechanism(name, sv.Categories(400), 2.0)
    reports = reports_of(mechanism, 5000)
    database.load("reports", lists_of(reports))
    query = sv.estimate_sql(mechanism, "reports")
    assert len(query) < 100_000
    found, known = database.columns(query), sv.estimate(mechanism.tally(reports), "unbiased")
    assert np.abs(np.array(found["share"]) - known.shares).max() < 1e-9
    assert np.abs(np.array(found["stderr"]) - known.stderr).max() < 1e-9


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"about": "people"}, "about of estimate_sql must be one of population, respondents"),
        ({"dialect": "duck"}, "Did you mean 'duckdb'?"),
        ({"by": "share"}, "The result has a column 'share' of its own"),
        ({"by": "sv_number"}, "The result has a column 'sv_number' of its own"),
    ],
)
def test_wrong_parameters(more, words):
    with pytest.raises(InvalidInput, match=words):
        sv.estimate_sql(GRR, "reports", **more)

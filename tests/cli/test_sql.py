"""``sottovoce sql`` and ``tally --counts``: a query out, its result in, the same tallies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from support.commands import refusal, run, run_json
from support.databases import database_of, lists_of, reports_of

OLH = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water", "juice"]), 1.0)
REGIONS = np.array(["north", "south", "west"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("drinks.json").write_text(sv.Survey("drinks", "Which?", OLH).to_json(), encoding="utf-8")
    reports = reports_of(OLH, 600)
    table = reports.to_arrow()
    groups = REGIONS[np.arange(600) % 3]
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(table.append_column("region", pa.array(groups.tolist())), "reports.parquet")
    run("tally", "reports.parquet", "-o", "known.svt")
    run("tally", "reports.parquet", "-o", "known", "--by", "region")
    return lists_of(reports) | {"region": groups.tolist()}


def write_csv(columns, name="result.csv"):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    Path(name).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")


def write_parquet(columns, name="result.parquet"):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), name)


def counted(reports, *more, dialect="sqlite"):
    """The result of the printed query."""
    database = database_of(dialect)
    database.load("lake", reports)
    query = run("sql", "drinks.json", "--table", "lake", "--dialect", dialect, *more).stdout
    return database.columns(query)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_the_result_becomes_the_same_files(here, write, dialect):
    name = f"result.{'csv' if write is write_csv else 'parquet'}"
    write(counted(here, "--by", "region", dialect=dialect), name)
    more = ["--counts", "--survey", "drinks.json"]
    told = run_json("tally", name, "-o", "all.svt", *more)
    assert (told["reports"], told["by"]) == (600, None)
    assert Path("all.svt").read_bytes() == Path("known.svt").read_bytes()
    told = run_json("tally", name, "-o", "groups", "--by", "region", *more)
    assert [each["group"] for each in told["groups"]] == ["north", "south", "west"]
    for known in sorted(Path("known").iterdir()):
        assert (Path("groups") / known.name).read_bytes() == known.read_bytes()
    assert "north" in run("estimate", "groups", "--by", "region").stdout


def test_from_a_pipe_and_several_results(here):
    first = {name: column[:300] for name, column in here.items()}
    second = {name: column[300:] for name, column in here.items()}
    write_csv(counted(first), "first.csv")
    write_csv(counted(second, "--by", "region"), "second.csv")
    run(
        "tally", "--counts", "-", "second.csv", "-o", "all.svt", "--survey", "drinks.json",
        stdin=Path("first.csv").read_bytes(),
    )  # fmt: skip
    assert Path("all.svt").read_bytes() == Path("known.svt").read_bytes()


def test_shares(here):
    found = counted(here, "--shares", "--by", "region", "--about", "population")
    assert found["value"][:4] == ["tea", "coffee", "water", "juice"]
    north = sv.Tally.read("known/0001-north.svt")
    known = sv.estimate(north, "unbiased", about="population")
    assert np.allclose(found["share"][:4], known.shares, atol=1e-9)
    assert np.allclose(found["stderr"][:4], known.stderr, atol=1e-9)


def test_the_query_is_that_of_the_library():
    shown = run("sql", "drinks.json", "--table", "lake.reports", "--by", "a", "--by", "b").stdout
    assert shown.strip() == sv.tally_sql(OLH, "lake.reports", by=["a", "b"])
    told = run_json("sql", "drinks.json", "--table", "t", "--by", "a", "--dialect", "spark")
    assert told["query"] == sv.tally_sql(OLH, "t", by="a", dialect="spark")
    assert (told["by"], told["dialect"], told["shares"]) == (["a"], "spark", False)
    assert told["mechanism"]["fingerprint"] == OLH.fingerprint


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--dialect", "duckbd"), "Did you mean 'duckdb'?"),
        (("--by", "hash"), "'hash' is a field of the reports"),
        (("--shares", "--about", "everybody"), "about of estimate_sql must be one of"),
    ],
)
def test_wrong_options_of_sql(more, words):
    assert words in refusal("sql", "drinks.json", "--table", "reports", *more)


def test_mechanisms_without_a_query():
    oue = sv.Survey("drinks", "Which?", sv.mechanism("oue", OLH.domain, 1.0))
    Path("oue.json").write_text(oue.to_json(), encoding="utf-8")
    assert "falls in several cells" in refusal("sql", "oue.json", "--table", "reports")


def refused_counts(columns, *more, survey="drinks.json", output="out.svt"):
    """The refusal of a result; nothing is written."""
    write_csv(columns)
    before = sorted(Path().iterdir())
    options = ["--counts", "--survey", survey, "-o", output, *more]
    line = refusal("tally", "result.csv", *options)
    assert sorted(Path().iterdir()) == before
    return line


def test_rows_without_a_cell(here):
    here["cell"][0], here["cell"][1], here["hash"][2] = None, 99, None
    line = refused_counts(counted(here))
    assert "1 with an empty column 'hash'" in line
    assert "1 with an empty column 'cell', 1 with column 'cell' outside" in line
    line = refused_counts(counted(here, "--by", "region"), "--by", "region", output="groups")
    assert "1 with an empty column 'cell'" in line


def test_another_survey(here):
    result = counted(here)
    other = sv.Survey("drinks", "Which?", sv.mechanism("olh", OLH.domain, 2.0))
    Path("other.json").write_text(other.to_json(), encoding="utf-8")
    line = refused_counts(result, survey="other.json")
    assert f"counts of m{OLH.fingerprint}, not of" in line
    assert other.mechanism.fingerprint in line


def test_bad_results(here):
    good = counted(here, "--by", "region")
    empty = good | {"region": [None, *good["region"][1:]]}
    assert "column 'region' is empty in 1 rows" in refused_counts(
        empty, "--by", "region", output="groups"
    )
    fraction = good | {"reports": ["1.5", *good["reports"][1:]]}
    assert "row 1 of column 'reports'" in refused_counts(fraction)
    missing = {name: column for name, column in good.items() if name != "cell"}
    assert "no column 'cell' in result.csv" in refused_counts(missing)
    twice = {name: [*column, column[0]] for name, column in good.items()}
    assert "distinct; got 'cell" in refused_counts(twice)
    assert "no column to group by 'regions'" in refused_counts(
        good, "--by", "regions", output="groups"
    )


def test_wrong_options_of_tally(here):
    write_csv(counted(here))
    options = ["tally", "result.csv", "-o", "out.svt"]
    assert "--survey of the command must be given with --counts" in refusal(*options, "--counts")
    assert "neither reports" in refusal(*options, "--survey", "drinks.json")
    write_csv({"region": [], "mechanism": [], "cell": [], "reports": []})
    survey = ["--counts", "--survey", "drinks.json"]
    assert "not without reports" in refusal(*options[:-1], "groups", "--by", "region", *survey)
    Path("result.csv").write_text("", encoding="utf-8")
    assert "is empty: not even a header" in refusal(*options, *survey)
    twice = refusal("tally", "result.csv", "result.csv", "-o", "out.svt", *survey)
    assert "distinct, lest the same reports count twice" in twice

"""Several questions through every command: from a TOML file to a collector, and back as answers and tables."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import sottovoce as sv
from support.commands import Real, refusal, run, run_json

FILE = """
name = "home"
question = "Your home: three short questions"
WINDOW

[[questions]]
name = "age"
text = "How old are you?"
kind = "interval"
low = 0
high = 100
bins = 5

[[questions]]
name = "rent"
text = "Do you rent it?"
kind = "yes-no"

[[questions]]
name = "size"
kind = "ratings"
low = 1
high = 5

[mechanism]
name = "record"
epsilon = 3

[mechanism.options]
design = "mixed"
"""
PEOPLE = 12_000


def write_people(path, seed=1):
    """Renting depends on age; the size of a home does not.  Columns are in another order."""
    rng = np.random.default_rng(seed)
    ages = rng.uniform(0, 100, PEOPLE)
    rents = np.where(rng.uniform(0, 100, PEOPLE) > ages, "yes", "no")
    sizes = rng.integers(1, 6, PEOPLE)
    rows = (f"{r},{a:.0f},{s}" for r, a, s in zip(rents, ages, sizes, strict=True))
    path.write_text("rent,age,size\n" + "\n".join(rows) + "\n")
    young = ages < 20
    return {"mean": float(ages.mean()), "young": float((rents[young] == "yes").mean())}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    (folder / "home.toml").write_text(FILE.replace("WINDOW", ""))
    (folder / "weekly.toml").write_text(
        FILE.replace("WINDOW", 'window = "week"').replace('name = "home"', 'name = "weekly"')
    )
    truth = write_people(folder / "people.csv")
    return folder, truth


@pytest.fixture(scope="module")
def real(home):
    """A collector with the answers of everybody, closed."""
    folder, _ = home
    made = Real(folder)
    for role in ("publish", "read"):
        secret = ["--secret-file", folder / "collector.secret"]
        run("keys", *secret, "--role", role, "-o", folder / f"{role}.key")
    publish = ["--url", made.url, "--key-file", folder / "publish.key"]
    run("publish", folder / "home.toml", *publish)
    sent = run_json("send", folder / "home.toml", folder / "people.csv", "--url", made.url)
    assert (sent["reports"], sent["stored"]) == (PEOPLE, PEOPLE)
    run("publish", folder / "home.toml", "--close", *publish)
    yield made
    assert made.stop() == ""


def answers(real, *more):
    key = ["--key-file", real.folder / "read.key", "--url", real.url]
    return ["answers", real.folder / "home.toml", *key, *more]


ASKED = [
    [],
    ["--part", "age", "--mean", "--quantile", 0.5],
    ["--part", "rent", "--share", "yes", "--csv"],
    ["--table", "age,rent", "--independence"],
    ["--table", "rent,age", "--percent", "rows"],
    ["--table", "age,rent", "--given", "age=10", "--csv"],
]


def test_a_collector_and_an_export_give_the_same(home, real):
    folder, truth = home
    key = ["--key-file", folder / "read.key", "--url", real.url]
    file = folder / "same.parquet"
    assert run_json("export", folder / "home.toml", *key, "-o", file)["reports"] == PEOPLE
    for asked in ASKED:
        assert run(*answers(real, *asked)).stdout == run("estimate", file, *asked).stdout
    told = run_json(*answers(real, "--part", "age", "--mean"))
    assert told["of_question"] == "age"
    assert abs(told["answers"][0]["value"] - truth["mean"]) < 5
    every = run_json(*answers(real))
    assert [each["of_question"] for each in every["groups"]] == ["age", "rent", "size"]


def test_tables_say_what_is_in_them(home, real):
    folder, truth = home
    found = run_json(*answers(real, "--table", "age,rent", "--percent", "rows", "--independence"))
    young = next(c for c in found["cells"] if (c["row"], c["column"]) == ([0, 20], "yes"))
    assert young["low"] - 0.03 < truth["young"] < young["high"] + 0.03
    assert found["independence"]["p_value"] < 1e-9
    assert found["reports"] < PEOPLE  # those about both
    shown = run(*answers(real, "--table", "age,rent", "--independence")).stdout
    assert "shares of the respondents, from" in shown
    assert "Answers to age and rent depend on each other (p below 0.001)" in shown
    other = run(*answers(real, "--table", "rent,size", "--independence")).stdout
    assert "rent \\ size" in other
    rows = list(
        csv.DictReader(io.StringIO(run(*answers(real, "--table", "age,rent", "--csv")).stdout))
    )
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)
    written = folder / "table.json"
    run(*answers(real, "--table", "age,rent", "-o", written))
    assert json.loads(written.read_text())["questions"] == ["age", "rent"]


def test_from_files_alone_with_groups_and_windows(home, tmp_path):
    folder, truth = home
    rows = (folder / "people.csv").read_text().splitlines()
    public = ["town", *(["a", "b"] * (PEOPLE // 2))]
    grouped = tmp_path / "people.csv"
    grouped.write_text("\n".join(f"{r},{t}" for r, t in zip(rows, public, strict=True)) + "\n")
    file = tmp_path / "reports.parquet"
    survey = ["--survey", folder / "home.toml"]
    run("randomize", grouped, *survey, "--by", "town", "--seed", 1, "-o", file)
    tally = tmp_path / "all.svt"
    run("tally", file, "-o", tally)
    whole = run_json("estimate", tally, "--part", "age", "--mean")
    assert abs(whole["answers"][0]["value"] - truth["mean"]) < 5
    both = run_json("estimate", file, "--by", "town", "--part", "rent", "--share", "yes")
    (change,) = both["difference"]["answers"]
    assert abs(change["value"]) < 6 * change["stderr"]
    weeks = [f"2026-W{week}" for week in (45, 46, 47)]
    for seed, week in enumerate(weeks):
        run(
            "randomize",
            folder / "people.csv",
            *survey,
            "--seed",
            seed,
            "-o",
            tmp_path / f"{week}.parquet",
        )
        run("tally", tmp_path / f"{week}.parquet", "-o", tmp_path / f"{week}.svt")
    inputs = [tmp_path / f"{week}.svt" for week in weeks]
    found = run_json("trend", *inputs, "--part", "rent", "--share", "yes")
    assert [each["window"] for each in found["trends"][0]["windows"]] == weeks
    assert found["trends"][0]["shifts"] == []


def test_sql_counts_questionnaires(home, tmp_path):
    """One integer cell per report: the query of any engine, and our own count, are equal."""
    duckdb = pytest.importorskip("duckdb")
    folder, _ = home
    file = tmp_path / "reports.parquet"
    run(
        "randomize",
        folder / "people.csv",
        "--survey",
        folder / "home.toml",
        "--seed",
        1,
        "-o",
        file,
    )
    query = run("sql", folder / "home.toml", "--table", "reports", "--dialect", "duckdb").stdout
    counts = tmp_path / "counts.csv"
    with duckdb.connect() as database:
        database.read_parquet(str(file)).create_view("reports")
        database.sql(query).write_csv(str(counts))
    run("tally", counts, "--counts", "--survey", folder / "home.toml", "-o", tmp_path / "sql.svt")
    run("tally", file, "-o", tmp_path / "own.svt")
    assert (tmp_path / "sql.svt").read_bytes() == (tmp_path / "own.svt").read_bytes()


def test_relays_ask_cohorts(home, tmp_path, real):
    folder, _ = home
    asked = FILE.replace("WINDOW", 'window = "week"\nask = "1/2"').replace('"home"', '"cohorts"')
    (tmp_path / "cohorts.toml").write_text(asked)
    publish = ["--url", real.url, "--key-file", folder / "publish.key"]
    run("publish", tmp_path / "cohorts.toml", *publish)
    rows = (folder / "people.csv").read_text().splitlines()[:1001]
    people = tmp_path / "people.csv"
    people.write_text("\n".join(f"{row},{n or 'who'}" for n, row in enumerate(rows)) + "\n")
    key = ["--person", "who", "--cohort-key", tmp_path / "cohort.key", "--url", real.url]
    sent = run_json("send", tmp_path / "cohorts.toml", people, *key)
    assert 350 < sent["reports"] < 650


# -- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age,rent\n30,yes\n", "no column for the question 'size' in bad.csv (it has: age, rent)"),
        ("age,rnt,size\n30,yes,2\n", "no column for the question 'rent' in bad.csv (it has: age, rnt, size). Did you mean 'rnt'?"),
        ("age,rent,size,zip\n30,yes,2,9\n", "a column of bad.csv must be one of the questions age, rent, size; got 'zip'"),
        ("age,rent,size,age\n30,yes,2,9\n", "a column that bad.csv has once"),
        ("age,rent,size\n30,yes,2\n30,maybe,2\n", "row 2 of column 'rent' of bad.csv must be"),
        ("age,rent,size\n30,yes,2\nold,yes,2\n", "row 2 of column 'age' of bad.csv must be a number"),
        ("age,rent,size\n30,yes,6\n", "row 1 of column 'size' of bad.csv must be"),
        ("age,rent,size\n101,yes,5\n", "row 1 of column 'age' of bad.csv must be"),
        ("age,rent,size\n30,,5\n", "row 1 of column 'rent' of bad.csv must be not empty"),
    ],
)  # fmt: skip
def test_bad_files_say_where_and_nothing_is_drawn(home, tmp_path, monkeypatch, text, message):
    folder, _ = home
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text(text)
    survey = ["--survey", folder / "home.toml"]
    assert message in refusal("randomize", "bad.csv", *survey, "-o", "reports.parquet")
    assert not (tmp_path / "reports.parquet").exists()


def test_bad_options_are_refused(home, tmp_path, real):
    folder, _ = home
    people, survey, out = (
        folder / "people.csv",
        ["--survey", folder / "home.toml"],
        tmp_path / "r.parquet",
    )
    for more, message in [
        (["--column", "age"], "--column of randomize must be left out: columns have the names"),
        (["--mechanism", "grr"], "--mechanism of randomize must be left out with --survey"),
        (["--size", 3], "the domain of randomize must be left out with --survey"),
        (["--by", "rent"], "--by of randomize must be another column than those of questions"),
    ]:
        assert message in refusal("randomize", people, *survey, *more, "-o", out)
    assert "--mechanism of randomize must be given" in refusal(
        "randomize", people, "--column", "age", "-o", out
    )
    with_column = ["--column", "age", "--url", real.url]
    assert "--column of send must be left out" in refusal(
        "send", folder / "home.toml", people, *with_column
    )
    someone = ["--person", "age", "--url", real.url]
    assert "--person of send must be left out" in refusal(
        "send", folder / "home.toml", people, *someone
    )
    run("randomize", people, *survey, "--seed", 1, "-o", out)
    for more, message in [
        (["--mean"], "--part of estimate must be given: one of age, rent, size"),
        (["--part", "aeg"], "must be one of age, rent, size; got 'aeg'. Did you mean 'age'?"),
        (["--table", "age"], "table of Record"),
        (["--table", "age,rnt"], "Did you mean 'rent'?"),
        (
            ["--table", "age,rent", "--part", "age"],
            "--part of estimate must be left out with --table",
        ),
        (["--table", "age,rent", "--mean"], "questions of estimate must be left out with --table"),
        (["--table", "age,rent", "--percent", "all"], "--percent of estimate must be one of"),
        (["--table", "age,rent", "--percent", "rows", "--given", "rent=no"], "one of the two"),
        (
            ["--table", "age,rent", "--given", "size=2"],
            "--given of estimate must be an answer to one of the two",
        ),
        (["--table", "age,rent", "--given", "rent=maybe"], "must be one of ['no', 'yes']"),
        (["--percent", "rows"], "--percent of estimate must be left out without --table"),
        (["--part", "rent", "--mean"], "needs numbers"),
    ]:
        assert message in refusal("estimate", out, *more), more
        assert message.replace("estimate", "answers") in refusal(*answers(real, *more)), more


def test_one_question_has_no_parts(tmp_path):
    reports = sv.mechanism("grr", sv.YesNo(), 1.0).randomize(
        ["yes", "no"] * 50, source=sv.Seeded(1)
    )
    reports.write(tmp_path / "r.parquet")
    for more in (["--part", "age"], ["--table", "a,b"]):
        said = refusal("estimate", tmp_path / "r.parquet", *more)
        assert "--part and --table need answers to several questions" in said

"""Pairs of keys and numbers through the command line: columns to reports, reports to answers."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import sottovoce as sv
from support.commands import run

DOMAIN = ("--keys", "film,book,song", "--low", 0, "--high", 5, "--bins", 10)
COLUMNS = ("--column", "kind", "--number", "rating")
ROUNDED = ("--mechanism", "pckv-ue", "--epsilon", 4, "--seed", 1)


def refused(*arguments):
    return run(*arguments, code=2).stderr


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("person", "town", "kind", "rating"), *rows])
    return path


def people():
    """3,000 of them, every third with a second pair, further down in the file."""
    kinds = ["film", "film", "film", "book", "book", "song"]
    first = [(i, "ab"[i % 2], kinds[i % 6], (i * 37) % 101 / 20) for i in range(3000)]
    more = [(i, town, "book" if kind == "film" else "film", 1.5) for i, town, kind, _ in first[::3]]
    return first, first + more


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("keys")
    singles, several = people()
    write(where / "one.csv", singles)
    write(where / "sets.csv", several)
    run("randomize", where / "one.csv", "-o", where / "one.parquet", *COLUMNS, *DOMAIN, *ROUNDED,
        "--by", "town")  # fmt: skip
    run("randomize", where / "sets.csv", "-o", where / "sets.parquet", *COLUMNS, *DOMAIN,
        "--person", "person", "--pairs", 2, "--mechanism", "key-value", "--epsilon", 4, "--seed", 1,
        "--option", "keys=response")  # fmt: skip
    return where


# -- randomize -------------------------------------------------------------------------


def test_a_row_is_a_person_or_several_are(folder):
    import pyarrow.parquet as pq

    one, sets = (pq.read_table(folder / f"{name}.parquet") for name in ("one", "sets"))
    assert len(one) == len(sets) == 3000
    assert one.column_names[-1] == "town" and one.column("town").to_pylist()[:3] == ["a", "b", "a"]
    assert not {"kind", "rating", "person"} & {*one.column_names, *sets.column_names}
    reports = sv.Reports.from_arrow(sets)
    assert reports.mechanism.domain == sv.KeyValues(["film", "book", "song"], 0, 5, 10, pairs=2)


def test_the_reports_are_those_of_the_library(folder, tmp_path):
    singles, several = people()
    domain = sv.KeyValues(["film", "book", "song"], 0, 5, bins=10)
    m = sv.mechanism("pckv-ue", domain, 4.0)
    right = m.tally(
        m.randomize([(kind, rating) for *_, kind, rating in singles], source=sv.Seeded(1))
    )
    run("tally", folder / "one.parquet", "-o", tmp_path / "one.svt")
    assert sv.Tally.read(tmp_path / "one.svt") == right
    held = {}
    for person, _, kind, rating in several:
        held.setdefault(person, {})[kind] = rating
    m = sv.KeyValue(
        sv.KeyValues(["film", "book", "song"], 0, 5, bins=10, pairs=2), 4.0, keys="response"
    )
    right = m.tally(m.randomize(list(held.values()), source=sv.Seeded(1)))
    run("tally", folder / "sets.parquet", "-o", tmp_path / "sets.svt")
    assert sv.Tally.read(tmp_path / "sets.svt") == right


def test_parquet_numbered_keys_and_a_file_of_keys(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {"who": [7.0, 7.0, 8.0], "kind": [1, 2, 1], "rating": [1, 2.5, 5.0]}
    pq.write_table(pa.table(table), tmp_path / "p.parquet")
    (tmp_path / "keys.txt").write_text("1\n2\n")
    run("randomize", tmp_path / "p.parquet", "-o", tmp_path / "r.parquet", *COLUMNS, "--person", "who",
        "--keys-from-file", tmp_path / "keys.txt", "--low", 0, "--high", 5, "--pairs", 2, *ROUNDED)  # fmt: skip
    reports = sv.Reports.from_arrow(pq.read_table(tmp_path / "r.parquet"))
    assert len(reports) == 2 and reports.mechanism.domain.interval.bins == 64


def test_larger_sets_are_refused_or_sampled(folder, tmp_path):
    given = ("randomize", folder / "sets.csv", "-o", tmp_path / "r.parquet", *COLUMNS, *DOMAIN, *ROUNDED,
             "--person", "person", "--pairs", 1)  # fmt: skip
    said = refused(*given)
    assert "row 3001 of column 'person'" in said and "at most 1 pair;" in said
    told = json.loads(run(*given, "--larger", "sample", "--json").stdout)
    assert told["reports"] == 3000 and "pairs=1" in told["mechanism"]["domain"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, "a", "opera", 3)], "row 1 of column 'kind' of"),
        ([(1, "a", "film", 3), (2, "a", "film", 9)], "must be a number from 0 to 5; got 9"),
        ([(1, "a", "film", "")], "row 1 of column 'rating'"),
        ([(1, "a", "film", "much")], "must be a number; got 'much'"),
        ([(1, "a", "", 3)], "row 1 of column 'kind'"),
        ([("", "a", "film", 3)], "row 1 of column 'person'"),
        (
            [(1, "a", "film", 3), (2, "a", "film", 3), (1, "a", "film", 4)],
            "row 3 of column 'person' of {} must be of someone without 'film' in a row before",
        ),
        (
            [(1, "a", "film", 3), (1, "b", "book", 3)],
            "row 2 of column 'person' of {} must be of someone in the same group as before, 'a'",
        ),
    ],
)
def test_bad_rows(tmp_path, rows, said):
    given = write(tmp_path / "bad.csv", rows)
    told = refused("randomize", given, "-o", tmp_path / "r.parquet", *COLUMNS, *DOMAIN, *ROUNDED,
                   "--person", "person", "--pairs", 2, "--by", "town")  # fmt: skip
    assert said.format(given) in told and not (tmp_path / "r.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--column", "kind", *DOMAIN), "--number of randomize must be given with --keys"),
        ((*COLUMNS, *DOMAIN, "--person", "person"), "must be left out without --pairs"),
        (("--column", "kind", "--number", "kind", *DOMAIN), "must be different columns"),
        ((*COLUMNS, *DOMAIN, "--by", "rating"), "a public column, not the private one"),
        ((*COLUMNS, *DOMAIN, "--larger", "sample"), "larger of KeyValues must be left out"),
        ((*COLUMNS, *DOMAIN, "--pairs", 0), "pairs of KeyValues must be a whole number of at least 1"),
        ((*COLUMNS, *DOMAIN, "--pairs", 2, "--larger", "all"), "must be one of refuse, sample"),
        ((*COLUMNS, "--keys", "a,b"), "--low, --high of the command must be given with keys"),
        ((*COLUMNS, "--keys", "a,b", "--size", 3), "must be given with keys"),
        ((*COLUMNS, "--keys", "a,b", "--keys-from-file", "f", "--low", 0), "one of the two"),
        ((*COLUMNS, "--low", 0, "--high", 5, "--pairs", 2), "--pairs of the command must be left out"),
        ((*COLUMNS, "--values", "a,b"), "--number of randomize must be left out without --keys"),
    ],
)  # fmt: skip
def test_bad_options(folder, tmp_path, arguments, said):
    given = ("randomize", folder / "one.csv", "-o", tmp_path / "r.parquet", *arguments)
    way = ("--mechanism", "grr", "--epsilon", 1) if "--values" in arguments else ROUNDED
    assert said in refused(*given, *way)


def test_sets_need_a_mechanism_for_them(folder, tmp_path):
    said = refused("randomize", folder / "one.csv", "-o", tmp_path / "r.parquet", *COLUMNS, *DOMAIN,
                   "--pairs", 2, "--mechanism", "grr", "--epsilon", 1)  # fmt: skip
    assert "Sets of pairs are for the mechanism key-value" in said


# -- estimate ----------------------------------------------------------------------------


def library(folder):
    import pyarrow.parquet as pq

    reports = sv.Reports.from_arrow(pq.read_table(folder / "one.parquet"))
    return sv.estimate(reports.mechanism.tally(reports))


def test_all_keys_in_a_table(folder):
    shown = run("estimate", folder / "one.parquet").stdout.splitlines()
    head = "key  frequency  stderr  low  high  mean  mean stderr  mean low  mean high"
    assert shown[3].split() == head.split()
    assert [line.split()[0] for line in shown[4:]] == ["film", "book", "song"]


def test_all_keys_as_json_and_csv(folder):
    e = library(folder)
    told = json.loads(run("estimate", folder / "one.parquet", "--json").stdout)["answers"]
    right = [(q, getattr(e, q)(k)) for q in ("frequency", "mean") for k in ("film", "book", "song")]
    for row, (question, answer) in zip(told, right, strict=True):
        assert row == {
            "question": question, "label": answer.label, "value": answer.value,
            "stderr": answer.stderr, "low": answer.low, "high": answer.high,
        }  # fmt: skip
    rows = list(
        csv.DictReader(io.StringIO(run("estimate", folder / "one.parquet", "--csv").stdout))
    )
    assert [float(row["value"]) for row in rows] == [row["value"] for row in told]


def test_some_keys(folder):
    e = library(folder)
    for asked, keys in (
        (("--key", "song"), ["song"]),
        (("--top-keys", 2), ["film", "book"]),
        (("--top-keys", 1, "--key", "song"), ["film", "song"]),
    ):
        told = json.loads(run("estimate", folder / "one.parquet", *asked, "--json").stdout)[
            "answers"
        ]
        assert [row["label"] for row in told] == keys * 2
        assert told[0]["value"] == e.frequency(keys[0]).value


def test_questions_on_the_numbers_of_a_key(folder):
    asked = (
        "--key",
        "book",
        "--mean",
        "--quantile",
        0.5,
        "--cdf",
        2,
        "--range",
        "1:3",
        "--variance",
    )
    told = json.loads(run("estimate", folder / "sets.parquet", *asked, "--json").stdout)
    assert told["method"] == "em"
    labels = [
        "book",
        "book",
        "book: from 1 to 3",
        "book: up to 2",
        "book: quantile 0.5",
        "book: variance",
    ]
    assert [row["label"] for row in told["answers"]] == labels
    rate, mean = (row["value"] for row in told["answers"][:2])
    assert abs(rate - (1000 + 500) / 3000) < 0.15 and 1 < mean < 3
    said = refused("estimate", folder / "one.parquet", "--key", "book", "--quantile", 0.5)
    assert "what can be asked of it: frequency, mean, keys, top_keys" in said


def test_two_groups(folder):
    given = ("estimate", folder / "one.parquet", "--by", "town", "--top-keys", 2, "--key", "song")
    told = json.loads(run(*given, "--json").stdout)
    first, second = (
        {(row["question"], row["label"]): row["value"] for row in group["answers"]}
        for group in told["groups"]
    )
    for row in told["difference"]["answers"]:
        place = row["question"], row["label"]
        if place in first and place in second:
            assert np.isclose(row["value"], second[place] - first[place])
        assert 0 <= row["p_value"] <= 1
    assert "mean p_value" in run(*given).stdout


@pytest.mark.filterwarnings("ignore::sottovoce.NotConverged")
def test_pictures(folder, tmp_path):
    tally = tmp_path / "sets.svt"
    run("tally", folder / "sets.parquet", "-o", tally)
    quick = ("--method", "em", "--option", "max_iterations=5")
    for name, asked in (("keys", ()), ("one", ("--key", "film", "--kind", "cdf"))):
        picture = tmp_path / f"{name}.svg"
        run("estimate", tally, *quick, *asked, "--plot", picture)
        assert picture.stat().st_size > 5000
    said = refused("estimate", tally, "--key", "film", "--key", "book", "--kind", "cdf", "--plot",
                   tmp_path / "x.svg")  # fmt: skip
    assert "--key of estimate must be given once with --kind cdf" in said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--key", "opera"), "key of frequency must be one of ['film', 'book', 'song']; got 'opera'"),
        (("--top-keys", 0), "--top-keys of estimate must be a whole number of at least 1; got 0"),
        (("--mean",), "--key of estimate must be given with questions on numbers, to say whose"),
        (("--share", "film"), "pairs are asked about by key"),
        (("--top", 3), "top needs shares"),
    ],
)  # fmt: skip
def test_bad_questions(folder, asked, said):
    assert said in refused("estimate", folder / "one.parquet", *asked)


def test_keys_of_domains_without(tmp_path):
    m = sv.mechanism("grr", sv.Categories(["a", "b"]), 1.0)
    m.simulate([5, 5], source=sv.Seeded(1)).write(tmp_path / "named.svt")
    for asked in (("--key", "a"), ("--top-keys", 1)):
        said = refused("estimate", tmp_path / "named.svt", *asked)
        assert "--key and --top-keys need pairs of keys and numbers" in said


def test_methods_and_audit_of_pairs():
    told = run("methods", *DOMAIN, "--mechanism", "pckv-grr", "--epsilon", 1).stdout
    assert "to frequencies and means of keys only" in told
    few = ("--keys", "a,b", "--low", 0, "--high", 1, "--bins", 2, "--pairs", 2)
    told = run("audit", *few, "--mechanism", "pckv-grr", "--epsilon", 1, "--trials", 2000).stdout
    assert "holds" in told

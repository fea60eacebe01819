"""Files of commands: the end of a name says the format, and pipes with names are read."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.outputs import format_of, refuse_format
from support.commands import refusal, run, run_json, small_collector

DRINKS = ("--column", "drink", "--values", "tea,coffee", "-m", "grr", "-e", 2)


@pytest.fixture
def people(tmp_path):
    rows = [("tea", "=it"), ("coffee", "fr"), ("tea", "=it")] * 100
    text = "drink,country\n" + "".join(f"{drink},{country}\n" for drink, country in rows)
    (tmp_path / "people.csv").write_text(text)
    return tmp_path


def table_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text(), newline="")))


# -- formats ----------------------------------------------------------------------------------------


def test_reports_in_every_format(people):
    how = ("randomize", people / "people.csv", *DRINKS, "--by", "country", "--seed", 1)
    for name in ("r.parquet", "r.arrow", "r.csv", "r", "r.PQ"):
        assert run_json(*how, "-o", people / name)["reports"] == 300
    rows = table_of(people / "r.csv")
    assert len(rows) == 300
    assert set(rows[0]) == {"value", "country"}
    assert {row["country"] for row in rows} == {"'=it", "fr"}
    counts = [sum(row["value"] == str(k) for row in rows) for k in range(2)]
    asked = ("--share", "tea", "--method", "unbiased")
    answers = [
        run_json("estimate", people / n, *asked)["answers"]
        for n in ("r.parquet", "r.arrow", "r", "r.PQ")
    ]
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert sum(counts) == 300
    told = refusal(*how, "-o", people / "r.json")
    assert (
        "--output of the command must be a file whose name ends in .parquet or .arrow or .csv"
        in told
    )
    assert not (people / "r.json").exists()


def test_csv_of_several_pieces_has_one_head(people, monkeypatch):
    monkeypatch.setattr("sottovoce.cli.shared.tables.CHUNK", 7)
    run("randomize", people / "people.csv", *DRINKS, "-o", people / "r.csv")
    assert len(table_of(people / "r.csv")) == 300
    bits = ("--column", "drink", "--values", "tea,coffee", "-m", "oue", "-e", 2)
    run("randomize", people / "people.csv", *bits, "-o", people / "bits.csv")
    assert {row["bits"] for row in table_of(people / "bits.csv")} <= {"00", "01", "02", "03"}


def test_answers_in_every_format(people):
    how = ("randomize", people / "people.csv", *DRINKS, "--by", "country", "--seed", 1)
    run(*how, "-o", people / "r.parquet")
    asked = ("estimate", people / "r.parquet", "--by", "country")
    shown = run(*asked, "--csv", "-o", people / "a.csv")
    assert (people / "a.csv").read_text() == shown.stdout
    assert "answers in" in shown.stderr
    document = run_json(*asked, "-o", people / "a.json")
    assert json.loads((people / "a.json").read_text()) == document
    run(*asked, "-o", people / "a.parquet")
    import pyarrow.parquet as parquet

    rows = parquet.read_table(people / "a.parquet").to_pylist()
    assert [row["label"] for row in rows] == [row["label"] for row in table_of(people / "a.csv")]
    assert rows[0]["value"] == float(table_of(people / "a.csv")[0]["value"])
    assert "ends in .csv or .json or .parquet" in refusal(*asked, "-o", people / "a.txt")
    assert "a file; --csv and --json write" in refusal(*asked, "-o", "-")
    assert "--force replaces it" in refusal(*asked, "-o", people / "a.csv")


def test_what_has_one_format_says_so(people):
    run("randomize", people / "people.csv", *DRINKS, "--by", "country", "-o", people / "r.parquet")
    for name in ("t.csv", "t.parquet", "t.tally"):
        assert "ends in .svt" in refusal("tally", people / "r.parquet", "-o", people / name)
    told = refusal("tally", people / "r.parquet", "--by", "country", "-o", people / "groups.csv")
    assert "does not end in .csv: with --by it is a folder of tallies" in told
    run("survey", "new", people / "s.toml")
    assert "ends in .json" in refusal("survey", "check", people / "s.toml", "-o", people / "s.csv")
    (people / "secret").write_text("0" * 64)
    key = ("keys", "--secret-file", people / "secret", "--role", "read")
    assert "a key is one line of text" in refusal(*key, "-o", people / "read.csv")
    assert "such as backup.db" in refusal("backup", "--store", "x.db", "-o", people / "copy.json")
    assert sorted(p.name for p in people.iterdir()) == [
        "people.csv",
        "r.parquet",
        "s.toml",
        "secret",
    ]


def test_the_end_of_a_name():
    assert format_of("a.CSV", ("json", "csv")) == "csv"
    assert format_of("a", ("json", "csv")) == format_of("-", ("json", "csv")) == "json"
    with pytest.raises(
        InvalidInput, match=r"ends in .json or .csv; got 'a.cvs'. Did you mean 'csv'\?"
    ):
        format_of("a.cvs", ("json", "csv"))
    refuse_format("a.key", "text")
    refuse_format("-", "text")


# -- pipes with names ---------------------------------------------------------------------------------


@pytest.fixture
def fifo(tmp_path):
    """Names of pipes that are written once, each by a thread."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs pipes with names")

    def make(data, name):
        path = tmp_path / name
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
        return path

    return make


def test_randomize_tally_and_estimate_read_pipes(people, fifo):
    text = (people / "people.csv").read_bytes()
    reports = people / "r.parquet"
    assert run_json("randomize", fifo(text, "one"), *DRINKS, "-o", reports)["reports"] == 300
    data = reports.read_bytes()
    assert run_json("tally", fifo(data, "two"), "-o", people / "t.svt")["reports"] == 300
    assert run_json("estimate", fifo(data, "three"))["reports"] == 300
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    parquet.write_table(arrow.table({"drink": ["tea", "coffee"] * 9}), people / "p.parquet")
    columns = fifo((people / "p.parquet").read_bytes(), "four")
    assert run_json("randomize", columns, *DRINKS, "-o", people / "r2.parquet")["reports"] == 18


SHELL = """
exec "$PYTHON" -m sottovoce.cli send <(cat drinks.json) <(yes tea | head -n 500) \
  --url "$URL" --journal sent.journal --json
"""


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs process substitution")
def test_send_reads_process_substitution_and_its_journal_goes_on(tmp_path, fifo):
    survey = sv.Survey("drinks", "?", sv.mechanism("grr", sv.Categories(["tea", "water"]), 1.0))
    (tmp_path / "drinks.json").write_text(survey.to_json())
    with small_collector(survey) as small:
        environment = {**os.environ, "PYTHON": sys.executable, "URL": small.url}
        done = subprocess.run(
            ["/bin/bash", "-c", SHELL], cwd=tmp_path, env=environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["stored"] == 500
        again = ["send", tmp_path / "drinks.json", fifo(b"tea\n" * 500, "another-name")]
        again += ["--url", small.url, "--journal", tmp_path / "sent.journal"]
        assert run_json(*again)["stored"] == 500
        assert len(small.reports) == 500
        assert len(small.bodies) == 1


def test_send_reads_columns_from_a_pipe(tmp_path, fifo):
    survey = sv.Survey("drinks", "?", sv.mechanism("grr", sv.Categories(["tea", "water"]), 1.0))
    (tmp_path / "drinks.json").write_text(survey.to_json())
    with small_collector(survey) as small:
        pipe = fifo(b"drink,x\n" + b"tea,1\n" * 50, "pipe")
        more = ("--column", "drink", "--url", small.url)
        assert run_json("send", tmp_path / "drinks.json", pipe, *more)["stored"] == 50


# -- the survey that was agreed to ---------------------------------------------------------------------


def test_send_and_randomize_take_what_is_pinned_only(people):
    survey = sv.Survey("drinks", "?", sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0))
    (people / "drinks.json").write_text(survey.to_json())
    with small_collector(survey) as small:
        given = ["send", people / "drinks.json", people / "people.csv", "--column", "drink"]
        given += ["--url", small.url, "--fingerprint"]
        assert "which was agreed to: it is not answered" in refusal(*given, "0" * 32)
        assert "--fingerprint of send must be 32 hexadecimal digits" in refusal(*given, "drinks")
        assert small.bodies == []
        assert run_json(*given, survey.fingerprint)["stored"] == 300
    how = ["randomize", people / "people.csv", *DRINKS, "-o", people / "r.csv", "--fingerprint"]
    assert "which was agreed to" in refusal(*how, survey.mechanism.fingerprint)  # another epsilon
    pinned = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 2.0).fingerprint
    assert run_json(*how, pinned)["mechanism"]["fingerprint"] == pinned


def test_an_empty_journal_is_damaged_and_not_new(people):
    survey = sv.Survey("drinks", "?", sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0))
    (people / "drinks.json").write_text(survey.to_json())
    (people / "sent.journal").write_bytes(b"")
    with small_collector(survey) as small:
        given = ["send", people / "drinks.json", people / "people.csv", "--column", "drink"]
        told = refusal(*given, "--url", small.url, "--journal", people / "sent.journal")
        assert "sent.journal cannot be read as a journal: it is empty. Nothing is sent." in told
        assert small.bodies == []

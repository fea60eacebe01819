"""The command line refuses bad input: exit code 2, one line that says what and where, nothing written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.app import app

GOOD = "id,country,answer\n1,it,tea\n2,fr,coffee\n3,it,tea\n"
DRINKS = ["--values", "tea,coffee", "-m", "grr", "-e", "1"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*arguments, stdin=None, mentions=()):
    """The one line of a refusal; standard output and the folder stay as they were."""
    before = sorted(Path().iterdir())
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert sorted(Path().iterdir()) == before
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("error: ")
    for text in (mentions,) if isinstance(mentions, str) else mentions:
        assert text in line
    return line


def randomize(source="in.csv", *more, column="answer", domain=DRINKS, **options):
    arguments = ["randomize", source, "-o", "out.parquet", "--column", column, *domain, *more]
    return refused(*arguments, **options)


def write(text, name="in.csv"):
    Path(name).write_text(text, encoding="utf-8", newline="")


def write_parquet(columns, name="in.parquet"):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), name)


def make_reports(name="r.parquet", domain=DRINKS, by=("--by", "country")):
    write(GOOD, "good.csv")
    arguments = ["randomize", "good.csv", "-o", name, "--column", "answer", *domain, *by]
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output


# -- files and columns -----------------------------------------------------------------


def test_a_missing_column_lists_those_there_are():
    write(GOOD)
    randomize(
        column="drinks", mentions="no column 'drinks' in in.csv (it has: id, country, answer)"
    )
    randomize(
        "in.csv",
        "--by",
        "town",
        mentions="no column 'town' in in.csv (it has: id, country, answer)",
    )
    write_parquet({"answer": ["tea"]})
    randomize(
        "in.parquet", column="drink", mentions="no column 'drink' in in.parquet (it has: answer)"
    )


def test_a_column_that_is_there_twice():
    write("answer,answer\ntea,coffee\n")
    randomize(mentions="a column that in.csv has once")


def test_files_that_are_none(here):
    randomize("nowhere.csv", mentions=["a file that exists", "nowhere.csv"])
    (here / "folder").mkdir()
    randomize("folder", mentions=["this is a folder", "'folder'"])
    for command in (["tally", "nowhere", "-o", "t.svt"], ["estimate", "nowhere"]):
        refused(*command, mentions=["a file that exists", "nowhere"])
    for command in (["tally", "folder", "-o", "t.svt"], ["estimate", "folder"]):
        refused(*command, mentions="or a folder of tallies")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(here):
    write(GOOD)
    (here / "in.csv").chmod(0)
    randomize(mentions="Permission denied")


def test_empty_files():
    write("")
    randomize(mentions="it is empty")
    write("answer\n")
    randomize(mentions="rows below its header")
    write_parquet({"answer": []})
    import pyarrow as pa

    write_parquet({"answer": pa.array([], pa.string())})
    randomize("in.parquet", mentions="a Parquet file with rows")
    randomize("-", stdin="", mentions="it is empty")
    for command in (["tally", "in.csv", "-o", "t.svt"], ["estimate", "in.csv"]):
        write("")
        refused(*command, mentions="in.csv is empty")
    refused("estimate", "-", stdin=b"", mentions="did the command before it fail?")


def test_unreadable_parquet(here):
    (here / "in.parquet").write_bytes(b"no parquet at all")
    randomize("in.parquet", mentions="in.parquet is not a readable Parquet file")
    (here / "in.parquet").write_bytes(b"PAR1 cut short")
    for command in (["tally", "in.parquet", "-o", "t.svt"], ["estimate", "in.parquet"]):
        refused(*command, mentions="in.parquet is not a readable Parquet file")
    refused("estimate", "-", stdin=b"PAR1 cut", mentions="standard input is not a readable Parquet")


def test_parquet_with_a_damaged_page(here):
    write_parquet({"answer": ["tea"] * 1000, "id": list(range(1000))})
    data = bytearray((here / "in.parquet").read_bytes())
    data[4:60] = bytes(56)
    (here / "in.parquet").write_bytes(data)
    randomize("in.parquet", mentions="in.parquet cannot be read")


def test_text_that_is_no_csv(here):
    (here / "in.csv").write_bytes(b"answer\ntea\n\xff\xfe\n")
    randomize(mentions=["in.csv, near line", "not UTF-8 text"])
    write('answer\n"tea\n')
    randomize(mentions=["in.csv, line", "unexpected end of data"])
    write("id,answer\n1,tea\n2\n")
    randomize(mentions=["row 2 of in.csv", "2 cells wide", "1 cells"])


# -- cells -------------------------------------------------------------------------------


def test_a_value_outside_the_domain_with_its_row():
    write("answer\ntea\ncoffee\nvodka\n")
    randomize(mentions=["row 3 of column 'answer' of in.csv", "['tea', 'coffee']", "'vodka'"])
    write("age\n5\n250\n")
    domain = ["--low", 0, "--high", 120, "--bins", 12, "-m", "grr", "-e", 1]
    randomize(column="age", domain=domain, mentions=["row 2", "a number from 0 to 120", "250"])
    domain = ["--size", 10, "-m", "grr", "-e", 1]
    randomize(column="age", domain=domain, mentions=["row 2", "from 0 to 9", "250"])
    write_parquet({"age": [1, 2, 10**30 // 10**12]})
    randomize("in.parquet", column="age", domain=domain, mentions=["row 3", "from 0 to 9"])


def test_the_row_is_right_in_later_chunks(monkeypatch):
    monkeypatch.setattr("sottovoce.cli.shared.tables.CHUNK", 10)
    write("answer\n" + "tea\n" * 37 + "vodka\n")
    randomize(mentions="row 38 of column 'answer'")
    write_parquet({"answer": ["tea"] * 37 + ["vodka"]})
    randomize("in.parquet", mentions="row 38 of column 'answer'")


def test_empty_cells_with_their_row():
    write("id,answer\n1,tea\n2,\n")
    randomize(mentions=["row 2 of column 'answer' of in.csv", "not empty"])
    write("answer\ntea\n\ncoffee\n")
    randomize(mentions=["row 2 of in.csv", "not blank"])
    write("id,answer,country\n1,tea,it\n2,tea,\n")
    randomize("in.csv", "--by", "country", mentions=["row 2 of column 'country'", "names a group"])
    write_parquet({"answer": ["tea", None, "tea"]})
    randomize("in.parquet", mentions=["row 2 of column 'answer' of in.parquet", "not empty"])


@pytest.mark.parametrize(
    ("cell", "said"), [("nan", "0 to 9"), ("inf", "0 to 9"), ("NaN", "0 to 9")]
)
def test_numbers_that_are_none(cell, said):
    write(f"age\n5\n{cell}\n")
    domain = ["--low", 0, "--high", 9, "--bins", 3, "-m", "grr", "-e", 1]
    randomize(column="age", domain=domain, mentions=["row 2 of column 'age'", said])
    write_parquet({"age": [5.0, float(cell)]})
    randomize("in.parquet", column="age", domain=domain, mentions="row 2 of column 'age'")


def test_mixed_types_in_a_column():
    write("age\n5\nsix\n7\n")
    numbers = ["--low", 0, "--high", 9, "--bins", 3, "-m", "grr", "-e", 1]
    randomize(column="age", domain=numbers, mentions=["row 2", "a number", "'six'"])
    whole = ["--size", 10, "-m", "grr", "-e", 1]
    randomize(column="age", domain=whole, mentions=["row 2", "a whole number", "'six'"])
    write("age\n5\n6.5\n")
    randomize(column="age", domain=whole, mentions=["row 2", "a whole number", "'6.5'"])
    write_parquet({"age": [5.0, 6.5]})
    randomize("in.parquet", column="age", domain=whole, mentions=["row 2", "6.5"])
    write_parquet({"age": [[1], [2]]})
    randomize("in.parquet", column="age", domain=whole, mentions="text, numbers or booleans")


# -- options -------------------------------------------------------------------------------


def test_by_must_not_be_the_private_column():
    write(GOOD)
    randomize("in.csv", "--by", "answer", mentions=["--by", "not the private one", "in the clear"])
    write("value,answer\n1,tea\n")
    randomize("in.csv", "--by", "value", mentions=["--by", "a report's own columns (value)"])


def test_outputs_that_are_not_to_be_written(here):
    write(GOOD)
    arguments = ["randomize", "in.csv", "--column", "answer", *DRINKS, "-o"]
    refused(*arguments, "no/such/out.parquet", mentions=["--output", "a folder that exists"])
    refused(*arguments, "in.csv", "--force", mentions="another file than the input")
    (here / "taken").write_text("precious")
    refused(*arguments, "taken", mentions=["a new name", "'taken'", "--force"])
    assert (here / "taken").read_text() == "precious"
    (here / "folder").mkdir()
    refused(*arguments, "folder", "--force", mentions="this is a folder")
    refused(*arguments, os.devnull, "--force", mentions="a device")
    refused(*arguments, "-", "--json", mentions=["--json", "standard output"])


def test_outputs_of_tally_and_estimate(here):
    make_reports()
    (here / "taken").write_text("precious")
    refused("tally", "r.parquet", "-o", "taken", mentions="--force")
    refused(
        "tally", "r.parquet", "-o", "taken", "--by", "country", "--force", mentions="not an index"
    )
    (here / "folder").mkdir()
    refused(
        "tally", "r.parquet", "-o", "folder", "--by", "country", "--force", mentions="index.json"
    )
    refused("tally", "r.parquet", "-o", "folder", "--force", mentions="this is a folder")
    refused("tally", "r.parquet", "-o", "-", "--by", "country", mentions="a folder where --by")
    refused("estimate", "r.parquet", "--plot", "taken.gif", mentions=".png, .pdf, .svg")
    (here / "p.png").write_text("precious")
    refused("estimate", "r.parquet", "--plot", "p.png", mentions="--force")
    refused("estimate", "r.parquet", "--plot", "q.png", "--by", "country", mentions="one estimate")
    refused("estimate", "r.parquet", "--csv", "--json", mentions="one of the two")
    (here / "file").write_text("")
    refused("demo", "--output", "file", mentions="a folder; this is a file")
    assert (here / "taken").read_text() == "precious"


def test_names_that_there_are_not():
    write(GOOD)
    domain = ["--values", "tea,coffee", "-m", "roulette", "-e", "1"]
    randomize(domain=domain, mentions=["unknown mechanism 'roulette'", "grr"])
    refused("methods", "-m", "roulette", "--size", 4, "-e", 1, mentions="unknown mechanism")
    make_reports()
    refused(
        "estimate",
        "r.parquet",
        "--method",
        "magic",
        mentions=["unknown method 'magic'", "norm-sub"],
    )
    refused("estimate", "r.parquet", "--then", "magic", mentions="unknown method 'magic'")
    refused("estimate", "r.parquet", "--goal", "fame", mentions=["goal", "distribution"])
    refused("estimate", "r.parquet", "--option", "alpha=1", mentions="option alpha")


def test_domains_said_badly(here):
    methods = ["methods", "-m", "grr", "-e", "1"]
    refused(*methods, mentions=["exactly one of --values", "none of them"])
    refused(*methods, "--size", 4, "--values", "a,b", mentions="--values; --size")
    refused(*methods, "--low", 1, mentions="--high")
    refused(*methods, "--bins", 4, mentions="--low")
    refused(*methods, "--low", 1, "--high", 0, mentions="above low = 1")
    refused(*methods, "--values", "a,,b", mentions="without empty items")
    refused(*methods, "--values", 'a,"b', mentions="a list such as a,b,c")
    refused(*methods, "--values", "a,b,a", mentions="distinct names")
    refused(*methods, "--values-from-file", "nowhere", mentions="nowhere")
    (here / "names").write_bytes(b"a\n\nb\n")
    refused(*methods, "--values-from-file", "names", mentions=["line 2 of names", "not be blank"])
    (here / "names").write_bytes(b"\xff")
    refused(*methods, "--values-from-file", "names", mentions="UTF-8")


def test_options_said_badly():
    methods = ["methods", "-m", "olh", "--size", "9"]
    refused(*methods, mentions=["--epsilon", "from 1e-6 to 20"])
    refused(*methods, "-e", 50, mentions="from 1e-06 to 20")
    for option, said in (
        ("hash_range", "a pair such as"), ("hash_range=4", "a prime"), ("speed=9", "options"),
        ("epsilon=9", "another name than"), ("=9", "a pair such as"),
    ):  # fmt: skip
        refused(*methods, "-e", 1, "--option", option, mentions=said)
    twice = ["--option", "bits=16", "--option", "bits=17"]
    refused(*methods, "-e", 1, *twice, mentions="given once")
    refused("plan", "--size", 4, "-e", 1, mentions="exactly two of epsilon, users and error")
    refused("plan", "--size", 4, "-e", 1, "--users", 9, "--of", "x", mentions="a whole number")
    refused("audit", "-m", "grr", "--size", 100, "-e", 1, mentions="2 to 64 values")


def test_questions_said_badly():
    make_reports()
    ask = ["estimate", "r.parquet"]
    refused(*ask, "--share", "vodka", mentions=["['tea', 'coffee']", "'vodka'"])
    refused(*ask, "--total", "tea,tea", mentions="distinct")
    refused(*ask, "--range", "1:2", mentions="needs numbers")
    refused(*ask, "--range", "1-2", mentions="20:30")
    refused(*ask, "--range", "nan:2", mentions="20:30")
    refused(*ask, "--mean", mentions="needs numbers")
    refused(*ask, "--top", 0, mentions="--top")
    refused(*ask, "--confidence", 2, mentions="confidence")
    refused(*ask, "--by", "town", mentions=["no public column 'town'", "country"])
    refused(*ask, "--by", "value", mentions="not fields of the report (value)")
    refused(*ask, "--option", "goal=top", mentions="another name than")


def test_wrong_usage_is_told_by_typer():
    for arguments in (
        ["nothing"],
        ["tally"],
        ["audit", "--size", "many"],
        ["estimate", "x", "--fast"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert "sage" in result.stderr


# -- evidence that does not fit ------------------------------------------------------------


def test_reports_and_tallies_that_do_not_belong_together(here):
    make_reports()
    make_reports("other.parquet", ["--values", "tea,coffee", "-m", "grr", "-e", "2"])
    refused(
        "tally", "r.parquet", "other.parquet", "-o", "t", mentions=["other.parquet", "is wanted"]
    )
    refused("tally", "r.parquet", "./r.parquet", "-o", "t", mentions="count twice")
    write_parquet({"value": [1, 2]})
    refused("tally", "in.parquet", "-o", "t", mentions=["in.parquet", "no sottovoce reports"])
    refused("tally", "good.csv", "-o", "t", mentions="neither reports (Parquet")


def test_tallies_have_no_groups_to_tell(here):
    make_reports()
    CliRunner().invoke(app, ["tally", "r.parquet", "-o", "t.svt"])
    refused("estimate", "t.svt", "--by", "country", mentions=["t.svt", "tally the reports"])
    data = (here / "t.svt").read_bytes()
    (here / "t.svt").write_bytes(data[:-1])
    refused("estimate", "t.svt", mentions=["t.svt", "checksum"])
    make_reports("plain.parquet", by=())
    refused(
        "tally",
        "plain.parquet",
        "-o",
        "g",
        "--by",
        "country",
        mentions="in plain.parquet (it has: none)",
    )


def test_folders_of_tallies_that_were_altered(here):
    make_reports()
    CliRunner().invoke(app, ["tally", "r.parquet", "-o", "g", "--by", "country"])
    refused("estimate", "g", "--by", "town", mentions=["by 'country'", "not by 'town'"])
    index = json.loads((here / "g" / "index.json").read_text())
    for change, said in (
        ({"version": 9}, "not an index of tallies"),
        ({"groups": []}, "not an index of tallies"),
        ({"groups": [{"group": "it", "file": "../r.parquet", "n": 1}]}, "not an index of tallies"),
        ({"groups": [{"group": "it", "file": "gone.svt", "n": 1}]}, "gone.svt"),
        ({"groups": [{**index["groups"][0], "n": 99}]}, "the index says 99"),
    ):
        (here / "g" / "index.json").write_text(json.dumps({**index, **change}))
        refused("estimate", "g", mentions=said)
    (here / "g" / "index.json").write_text("[")
    refused("estimate", "g", mentions="not an index of tallies")


def test_too_many_groups(monkeypatch):
    monkeypatch.setattr("sottovoce.cli.shared.inputs.MOST_GROUPS", 1)
    make_reports()
    refused("tally", "r.parquet", "-o", "g", "--by", "country", mentions="at most 1 groups")


def test_no_reports_at_all(here):
    mechanism = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)
    mechanism.randomize(["tea"])[:0].write(here / "none.parquet")
    CliRunner().invoke(app, ["tally", "none.parquet", "-o", "none.svt"])
    assert sv.Tally.read(here / "none.svt") == sv.Tally.empty(mechanism)
    for evidence in ("none.parquet", "none.svt"):
        refused("estimate", evidence, mentions="at least 1")
    make_reports()
    import pyarrow.parquet as pq

    pq.write_table(pq.read_table("r.parquet")[:0], "none.parquet")
    refused("tally", "none.parquet", "-o", "g", "--by", "country", mentions="not without reports")
    refused("estimate", "none.parquet", "--by", "country", mentions="not without reports")


def test_empty_groups_of_other_files_are_refused(here):
    import pyarrow as pa
    import pyarrow.parquet as pq

    make_reports()
    table = pq.read_table("r.parquet")
    place = table.column_names.index("country")
    pq.write_table(
        table.set_column(place, "country", pa.array(["it", None, "fr"])), "holes.parquet"
    )
    refused(
        "tally",
        "holes.parquet",
        "-o",
        "g",
        "--by",
        "country",
        mentions="row 2 of column 'country' of holes.parquet",
    )


def test_domains_that_a_table_cannot_say(here):
    pairs = sv.KeyValues(["film"], 0, 5, bins=2)
    mechanism = sv.mechanism("grr", pairs, 1.0)
    mechanism.tally(mechanism.randomize([("film", 3.0)] * 50)).write(here / "pairs.svt")
    refused(
        "estimate",
        "pairs.svt",
        "--share",
        "film",
        mentions="KeyValues(Categories(['film']), Interval(0, 5, bins=2)) cannot be read from one text; pairs are asked about by key",
    )
    result = CliRunner().invoke(app, ["estimate", "pairs.svt", "--json"])
    assert json.loads(result.stdout)["reports"] == 50

"""The command line: every command does its work, and says it in words, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import sottovoce as sv
from sottovoce import experiments
from sottovoce.answers.questions import read_questions
from sottovoce.cli.app import COMMANDS
from sottovoce.cli.shared.screen import cell_text, printable
from sottovoce.experiments import claims
from sottovoce.privacy import audit as audits
from support.commands import run, run_json

ANSWERS = ["tea", "coffee", "water"]
DRINKS = ["--values", "tea,coffee,water", "--mechanism", "olh", "--epsilon", "2"]
N = 6000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A CSV, the same as Parquet, reports with a public column, and their tally."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    where, rng = tmp_path_factory.mktemp("cli"), np.random.default_rng(1)
    countries = rng.choice(["fr", "it"], N)
    drinks = np.where(
        countries == "it",
        rng.choice(ANSWERS, N, p=[0.2, 0.7, 0.1]),
        rng.choice(ANSWERS, N, p=[0.5, 0.3, 0.2]),
    )
    table = {"person": [f"p{i}" for i in range(N)], "country": countries.tolist()}
    table |= {"drink": drinks.tolist(), "age": rng.integers(0, 100, N).tolist()}
    with (where / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    pq.write_table(pa.table(table), where / "people.parquet")
    run(
        "randomize", where / "people.csv", "-o", where / "reports.parquet", "--column", "drink",
        *DRINKS, "--by", "country", "--seed", 5,
    )  # fmt: skip
    run("tally", where / "reports.parquet", "-o", where / "all.svt")
    run("tally", where / "reports.parquet", "-o", where / "groups", "--by", "country")
    return where


def test_help_and_version():
    shown = run("--help").stdout
    assert all(command.__name__ in shown for command in COMMANDS)
    assert "Exit codes: 0 fine" in shown
    assert run("--version").stdout.strip() == sv.__version__
    for command in COMMANDS:
        assert "--json" in run(command.__name__, "--help").stdout


# -- methods and plan ----------------------------------------------------------------


def test_methods():
    found = run_json("methods", "-m", "oue", "--size", 1024, "-e", 1)
    assert found["mechanism"]["name"] == "unary-encoding"
    expected = list(sv.methods(sv.mechanism("oue", sv.Categories(1024), 1.0)))
    assert found["methods"] == expected
    shown = run("methods", "-m", "oue", "--size", 1024, "-e", 1).stdout
    assert shown.startswith("unary-encoding(Categories(1024), epsilon=1)")
    assert "norm-sub" in shown


def test_every_way_to_say_a_domain(tmp_path):
    (tmp_path / "names.txt").write_text("tea\ncoffee, black\nwater\n", encoding="utf-8")
    ways = {
        "Categories(['a', 'b, c', 'd'])": ["--values", 'a,"b, c",d'],
        "Categories(['tea', 'coffee, black', 'water'])": ["--values-from-file", tmp_path / "names.txt"],
        "Categories(7)": ["--size", 7],
        "Interval(0, 10, bins=5)": ["--low", 0, "--high", 10, "--bins", 5],
        "Interval(-1, 1, bins=256)": ["--low", -1, "--high", 1],
    }  # fmt: skip
    for domain, options in ways.items():
        found = run_json("methods", "-m", "grr", "-e", 1, *options)
        assert found["mechanism"]["domain"] == domain


def test_options_of_a_mechanism_and_a_table_without_epsilon():
    blh = run_json("methods", "-m", "olh", "--size", 9, "-e", 1, "--option", "hash_range=2")
    made = sv.mechanism("blh", sv.Categories(9), 1.0)
    assert blh["mechanism"]["fingerprint"] == made.fingerprint
    table = run_json("methods", "-m", "table", "--size", 2, "--option", "weights=[[3,1],[1,3]]")
    assert table["mechanism"]["epsilon"] == pytest.approx(np.log(3))


def test_plan_and_its_inverses():
    forward = run_json("plan", "--size", 64, "-e", 1, "--users", 10_000)
    expected = sv.plan(sv.Categories(64), epsilon=1.0, users=10_000)
    assert forward["best"]["fingerprint"] == expected.best.fingerprint
    assert [row["mechanism"] for row in forward["mechanisms"]] == expected.frame()["mechanism"]
    users = run_json("plan", "--size", 64, "-e", 1, "--error", 0.01)
    assert (users["found"], users["users"]) == (
        "users",
        sv.plan(sv.Categories(64), epsilon=1.0, error=0.01).users,
    )
    shown = run("plan", "--values", "yes,no", "--users", 5000, "--error", 0.02, "--of", "no").stdout
    assert "takes epsilon" in shown
    assert "randomized-response" in shown
    assert "times as likely" in shown


# -- randomize -----------------------------------------------------------------------


def test_reports_hold_what_a_device_sends_and_the_public_column_only(folder):
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "reports.parquet")
    assert table.column_names == ["hash", "cell", "country"]
    people = pq.read_table(folder / "people.parquet")
    assert table.column("country").to_pylist() == people.column("country").to_pylist()
    reports = sv.Reports.read(folder / "reports.parquet")
    assert reports.mechanism == sv.mechanism("olh", sv.Categories(ANSWERS), 2.0)
    assert len(reports) == N
    assert b"p17" not in (folder / "reports.parquet").read_bytes()


def test_the_same_seed_gives_the_library_s_reports(folder):
    with (folder / "people.csv").open(encoding="utf-8") as file:
        drinks = [row["drink"] for row in csv.DictReader(file)]
    mechanism = sv.mechanism("olh", sv.Categories(ANSWERS), 2.0)
    expected = mechanism.randomize(drinks, source=sv.Seeded(5))
    assert sv.Reports.read(folder / "reports.parquet") == expected


def test_csv_and_parquet_give_the_same_reports(folder, tmp_path):
    for kind, column, options in (
        ("drink", "drink", DRINKS),
        ("age", "age", ["--low", 0, "--high", 100, "--bins", 10, "-m", "grr", "-e", 1]),
        ("size", "age", ["--size", 100, "-m", "oue", "-e", 1]),
    ):
        for suffix in ("csv", "parquet"):
            run(
                "randomize", folder / f"people.{suffix}", "--column", column, *options,
                "--seed", 3, "-o", tmp_path / f"{kind}-{suffix}",
            )  # fmt: skip
        assert sv.Reports.read(tmp_path / f"{kind}-csv") == sv.Reports.read(
            tmp_path / f"{kind}-parquet"
        )


def test_parquet_of_other_types(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "float": pa.array([1.0, 2.0, 1.0]),
        "bool": pa.array([True, False, True]),
        "dictionary": pa.array(["a", "b", "a"]).dictionary_encode(),
        "int": pa.array([1, 2, 2], pa.int8()),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    for column, values in (
        ("float", "1,2"), ("bool", "true,false"), ("dictionary", "a,b"), ("int", "1,2"),
    ):  # fmt: skip
        made = run_json(
            "randomize", tmp_path / "t.parquet", "-o", tmp_path / column, "--column", column,
            "--values", values, "-m", "grr", "-e", 1,
        )  # fmt: skip
        assert made["reports"] == 3


def test_randomness_is_the_system_s_unless_seeded(folder, tmp_path):
    arguments = ["randomize", folder / "people.csv", "--column", "drink", *DRINKS]
    first, second = (run_json(*arguments, "-o", tmp_path / name) for name in "ab")
    assert first["reports"] == second["reports"] == N
    assert sv.Reports.read(tmp_path / "a") != sv.Reports.read(tmp_path / "b")
    assert "without any privacy" in run(*arguments, "-o", tmp_path / "c", "--seed", 1).stderr


def test_many_chunks_and_a_byte_order_mark(tmp_path, monkeypatch):
    monkeypatch.setattr("sottovoce.cli.shared.tables.CHUNK", 7)
    text = "\ufeffdrink\n" + "".join(f"{ANSWERS[i % 3]}\n" for i in range(50)) + "\n\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    made = run_json(
        "randomize", tmp_path / "t.csv", "-o", tmp_path / "r", "--column", "drink", *DRINKS
    )
    assert made["reports"] == 50


# -- tally ---------------------------------------------------------------------------


def test_tally_is_the_library_s(folder):
    reports = sv.Reports.read(folder / "reports.parquet")
    assert sv.Tally.read(folder / "all.svt") == reports.mechanism.tally(reports)


def test_tallies_by_group_and_their_index(folder):
    index = json.loads((folder / "groups" / "index.json").read_text(encoding="utf-8"))
    assert [entry["group"] for entry in index["groups"]] == ["fr", "it"]
    parts = [sv.Tally.read(folder / "groups" / entry["file"]) for entry in index["groups"]]
    assert [part.n for part in parts] == [entry["n"] for entry in index["groups"]]
    assert sum(parts) == sv.Tally.read(folder / "all.svt")


def test_files_folders_and_tallies_merge(folder, tmp_path):
    inputs = [folder / "reports.parquet", folder / "all.svt", folder / "groups"]
    found = run_json("tally", *inputs, "-o", tmp_path / "three.svt")
    assert found["reports"] == 3 * N
    once = sv.Tally.read(folder / "all.svt")
    assert sv.Tally.read(tmp_path / "three.svt") == once + once + once
    twice = run_json(
        "tally", folder / "groups", folder / "reports.parquet", "--by", "country",
        "-o", tmp_path / "twice",
    )  # fmt: skip
    assert sum(group["reports"] for group in twice["groups"]) == 2 * N


def test_group_names_become_safe_file_names(tmp_path):
    groups = ["../../etc", "a/b", "naïve café", "x" * 300, "🙂", "CON"]
    rows = "".join(f'tea,"{group}"\n' for group in groups)
    (tmp_path / "t.csv").write_text("drink,g\n" + rows, encoding="utf-8")
    run(
        "randomize", tmp_path / "t.csv", "-o", tmp_path / "r", "--column", "drink", *DRINKS,
        "--by", "g",
    )  # fmt: skip
    run("tally", tmp_path / "r", "-o", tmp_path / "out", "--by", "g")
    files = [path.name for path in (tmp_path / "out").iterdir()]
    assert len(files) == len(groups) + 1
    assert all(len(name) < 60 and name.isascii() for name in files)
    told = run_json("estimate", tmp_path / "out", "--by", "g")
    assert sorted(block["group"] for block in told["groups"]) == sorted(groups)


def test_force_replaces_a_folder_of_tallies(folder, tmp_path):
    target = tmp_path / "out"
    for force in ([], ["--force"]):
        run("tally", folder / "groups", "--by", "country", "-o", target, *force)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    assert len(list(target.iterdir())) == 3


# -- estimate ------------------------------------------------------------------------


def test_estimate_every_value(folder):
    found = run_json("estimate", folder / "all.svt")
    expected = sv.estimate(sv.Tally.read(folder / "all.svt"))
    assert (found["reports"], found["method"], found["why"]) == (N, expected.method, expected.why)
    assert [row["label"] for row in found["answers"]] == ANSWERS
    np.testing.assert_allclose([row["value"] for row in found["answers"]], expected.shares)
    np.testing.assert_allclose([row["stderr"] for row in found["answers"]], expected.stderr)
    assert run_json("estimate", folder / "reports.parquet") == found
    assert run_json("estimate", folder / "groups") == found


def test_estimate_questions_in_words_csv_and_json(folder):
    asked = ["--top", 2, "--share", "tea", "--share", "water", "--total", "tea,coffee"]
    found = run_json("estimate", folder / "all.svt", *asked)
    kinds = [row["question"] for row in found["answers"]]
    assert kinds == ["top", "top", "share", "share", "total"]
    rows = list(
        csv.DictReader(io.StringIO(run("estimate", folder / "all.svt", *asked, "--csv").stdout))
    )
    assert [float(row["value"]) for row in rows] == [row["value"] for row in found["answers"]]
    shown = run("estimate", folder / "all.svt", *asked).stdout
    assert "95% intervals, about the respondents" in shown
    assert "tea, coffee" in shown


def test_estimate_numbers(folder, tmp_path):
    run(
        "randomize", folder / "people.csv", "--column", "age", "--low", 0, "--high", 100,
        "--bins", 10, "-m", "grr", "-e", 3, "--seed", 2, "-o", tmp_path / "ages",
    )  # fmt: skip
    found = run_json("estimate", tmp_path / "ages", "--mean", "--range", "20:35", "--share", 25)
    share, range_, mean = found["answers"]
    assert share["label"] == [20.0, 30.0]
    assert range_["label"] == "from 20 to 35"
    assert abs(mean["value"] - 50) < 6 * mean["stderr"] + 0.5
    assert "20 to 30," in run("estimate", tmp_path / "ages", "--share", 25, "--csv").stdout


@pytest.mark.parametrize(
    ("asked", "goal"),
    [
        (["--top", 1], "distribution"),
        (["--total", "tea,water"], "subset"),
        (["--share", "tea"], "distribution"),
        (["--top", 1, "--share", "tea"], "distribution"),
        (["--top", 1, "--goal", "range"], "range"),
        ([], "distribution"),
    ],
)
def test_what_is_asked_decides_the_goal(folder, asked, goal):
    found = run_json("estimate", folder / "all.svt", *asked)
    expected = sv.estimate(sv.Tally.read(folder / "all.svt"), goal=goal)
    assert (found["method"], found["why"]) == (expected.method, expected.why)


@pytest.mark.parametrize(
    ("asked", "goal"),
    [
        ([("mean", "1")], "mean"),
        ([("range", "0:1")], "range"),
        ([("mean", "1"), ("range", "0:1")], "range"),
    ],
)
def test_means_and_ranges_are_sums_alike(asked, goal):
    assert read_questions(sv.Interval(0, 1, 2), asked).goal == goal


def test_method_options_and_steps(folder):
    arguments = ["--method", "norm-hyb", "--option", "alpha=0.2", "--then", "norm-sub"]
    found = run_json("estimate", folder / "all.svt", *arguments, "--confidence", 0.5)
    assert (found["method"], found["confidence"]) == ("norm-hyb + norm-sub", 0.5)
    wide = run_json("estimate", folder / "all.svt", "--method", "unbiased", "--about", "population")
    tally = sv.Tally.read(folder / "all.svt")
    expected = sv.estimate(tally, "unbiased").for_population()
    assert wide["about"] == "population"
    np.testing.assert_allclose([row["stderr"] for row in wide["answers"]], expected.stderr)


def test_answers_say_whom_they_are_about(folder):
    asked = ["estimate", folder / "all.svt", "--share", "tea"]
    assert "share of respondents" in run(*asked).stdout
    wide = run(*asked, "--about", "population").stdout
    assert "share of the population" in wide and "intervals, about the population" in wide
    (row,) = csv.DictReader(io.StringIO(run(*asked, "--csv").stdout))
    assert row["about"] == "respondents"
    groups = ["estimate", folder / "groups", "--by", "country", "--share", "tea"]
    usual, same = run_json(*groups), run_json(*groups, "--same-people")
    assert (usual["difference"]["about"], same["difference"]["about"]) == (
        "population",
        "respondents",
    )
    assert usual["groups"][0]["about"] == "respondents"
    (one,), (two,) = usual["difference"]["answers"], same["difference"]["answers"]
    assert one["stderr"] > two["stderr"] and one["adjusted"] == one["p_value"]
    shown = run(*groups).stdout
    assert "about the population; compares unbiased estimates" in shown
    assert "about of estimate must be one of" in run(*asked, "--about", "us", code=2).stderr


def test_intervals_for_any_number_of_looks(folder):
    asked = ["estimate", folder / "all.svt", "--share", "tea", "--anytime"]
    tally = sv.Tally.read(folder / "all.svt")
    for planned in ([], ["--planned", 4000]):
        told = run_json(*asked, *planned)
        view = sv.estimate(tally).anytime(*planned[1:])
        assert (told["looks"], told["method"]) == ("any", "unbiased")
        assert told["answers"][0]["low"] == pytest.approx(view.share("tea").low)
    words = "in 95 of 100 surveys the truth is inside at every look"
    assert words in " ".join(run(*asked).stdout.split())
    refused = run(*asked[:-1], "--planned", 4000, code=2).stderr
    assert "planned of estimate must be given together with anytime" in refused


def test_two_groups_are_compared(folder):
    found = run_json("estimate", folder / "reports.parquet", "--by", "country")
    assert [block["group"] for block in found["groups"]] == ["fr", "it"]
    difference = found["difference"]
    assert (difference["first"], difference["second"]) == ("fr", "it")
    plain = run_json(
        "estimate", folder / "reports.parquet", "--by", "country", "--method", "unbiased"
    )
    fr, it = (np.array([row["value"] for row in block["answers"]]) for block in plain["groups"])
    np.testing.assert_allclose([row["value"] for row in difference["answers"]], it - fr)
    assert all(row["p_value"] < 1e-3 for row in difference["answers"][:2])
    asked = ["--top", 1, "--share", "tea", "--total", "tea,water"]
    named = run_json("estimate", folder / "groups", "--by", "country", *asked)
    labels = [row["label"] for row in named["difference"]["answers"]]
    assert labels == ["tea", "coffee", "tea", "tea, water"]
    shown = run("estimate", folder / "groups", "--by", "country").stdout
    assert "difference: it minus fr" in shown
    rows = list(
        csv.DictReader(
            io.StringIO(run("estimate", folder / "groups", "--by", "country", "--csv").stdout)
        )
    )
    assert {row["group"] for row in rows} == {"fr", "it", "it minus fr"}


def test_plot(folder, tmp_path):
    done = run("estimate", folder / "all.svt", "--plot", tmp_path / "p.png", "--json")
    json.loads(done.stdout)
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    run("estimate", folder / "all.svt", "--plot", tmp_path / "p.svg")
    assert b"<svg" in (tmp_path / "p.svg").read_bytes()


# -- audit, bench ----------------------------------------------------------------------


def test_audit(monkeypatch):
    arguments = ["audit", "-m", "olh", "--size", 4, "-e", 1, "--trials", 2000]
    found = run_json(*arguments)
    assert found["passed"]
    certificate = sv.mechanism("olh", sv.Categories(4), 1.0).certificate()
    assert found["certificate"]["numerator"] == certificate.numerator
    assert "holds" in run(*arguments).stdout

    def broken(mechanism, *, trials, alpha):
        return audits.Audit(1.0, 2.0, trials, alpha, "made up")

    monkeypatch.setattr(audits, "audit", broken)
    assert run_json(*arguments, code=3)["passed"] is False
    assert "BROKEN" in run(*arguments, code=3).stdout


def test_reproduce(monkeypatch, tmp_path):
    assert run_json("reproduce", "--list")["papers"][0]["paper"] == "consistency"
    assert "consistency" in run("reproduce", "--list").stdout
    assert "one of consistency" in run("reproduce", code=2).stderr
    (tmp_path / "file").write_text("")
    for wrong, said in (
        (["papers-that-never-were"], "consistency"),
        (["consistency", "--data", tmp_path / "nowhere"], "a folder"),
        (["consistency", "--output", tmp_path / "file"], "a folder"),
    ):
        assert said in run("reproduce", *wrong, code=2).stderr

    asked = []

    def quick(paper, **options):
        asked.append({"paper": paper, **options})
        claim = claims.Claim("faster", "it is faster", "Figure 1", "2", "cells", low=1.0)
        finding = claims.Finding(claim, (claims.Reading("here", 0.5, 0.01),))
        page = tmp_path / "page.html"
        return experiments.Reproduction(paper, (finding,), {}, ("no data",), page, page, (page,))

    monkeypatch.setattr(experiments, "reproduce", quick)
    monkeypatch.setenv("SOTTOVOCE_DATA", str(tmp_path))
    found = run_json("reproduce", "consistency", "--output", tmp_path, "--repeats", 3)
    assert found["findings"][0]["verdict"] == "did not hold"
    assert found["skipped"] == ["no data"]
    assert asked[0] == {"paper": "consistency", "data": tmp_path, "output": tmp_path, "repeats": 3}
    shown = run("reproduce", "consistency", "--strict", code=3)
    assert "did not hold" in shown.stdout
    assert "page.html" in shown.stderr


class Bench:
    """Stands for the repository's ``benchmarks.__main__``."""

    PEOPLE, QUICK_PEOPLE = 100, 10

    class Progress:
        pass

    def __init__(self):
        self.calls = []
        self.BENCHMARKS = {"one": "one", "two": "two"}

    def main(self, arguments):
        self.calls.append(arguments)
        return 1 if "--strict" in arguments else 0

    def describe_machine(self):
        print("progress that must not reach standard output")
        return {"cores": 2}

    def zipf_population(self, people):
        return type("Population", (), {"n": people, "size": 4, "epsilon": 1.0})()

    def run_all(self, chosen, population, progress):
        return [], [f"{name} is wrong" for name in chosen if name == "two"]


def test_bench(monkeypatch, capsys):
    fake = Bench()
    monkeypatch.setattr("sottovoce.cli.commands.research._benchmarks", lambda: fake)
    run("bench", "--only", "one", "--quick")
    assert fake.calls == [["--only", "one", "--quick"]]
    run("bench", "--strict", code=3)
    assert run_json("bench", "--only", "one", "--quick")["people"] == 10
    assert run_json("bench", code=3)["faults"] == ["two is wrong"]
    assert (
        "unknown benchmark 'three'. Known: one, two"
        in run("bench", "--only", "three", code=2).stderr
    )


def test_bench_says_where_to_run_it(monkeypatch, tmp_path):
    monkeypatch.setattr(sv, "__file__", str(tmp_path / "lib" / "sottovoce" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    assert "make bench" in run("bench", code=2).stderr
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__main__.py").write_text("")
    monkeypatch.setattr("importlib.import_module", _no_module)
    assert "need no_such_peer" in run("bench", code=2).stderr


def _no_module(name):
    raise ModuleNotFoundError("No module named 'no_such_peer'", name="no_such_peer")


# -- the screen -------------------------------------------------------------------------


def test_nothing_shown_can_steer_a_terminal():
    assert printable("a\x1b[31mb\nc") == "a\\x1b[31mb\\nc"
    assert printable("naïve [bold]") == "naïve [bold]"
    assert cell_text((0.0, 12.5)) == "0 to 12.5"
    assert (cell_text(None), cell_text(0.123456), cell_text(12)) == ("", "0.1235", "12")

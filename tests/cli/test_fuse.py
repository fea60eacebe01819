"""``sottovoce fuse``: files of several services, ours and others', to one mean or distribution."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.services import ServiceText
from support import commands

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 3000
PAY = sv.Interval(0, 100, bins=16)
KEYED = ["--key-column", "id"]


def run(*arguments, code=0):
    return commands.run("fuse", *arguments, code=code)


def run_json(*arguments):
    return commands.run_json("fuse", *arguments)


def service(text):
    return ["--service", text]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two services of ours, one of floats, and what they were made from."""
    folder, rng = tmp_path_factory.mktemp("fuse"), np.random.default_rng(1)
    values = 100 * rng.beta(2, 5, N)
    found = {"values": values, "folder": folder}
    for seed, (name, short, epsilon) in enumerate((("bank", "pm", 0.5), ("shop", "sw", 1.0))):
        who = rng.permutation(N)[: 2000 + 500 * seed]
        mechanism = sv.mechanism(short, PAY, epsilon)
        reports = mechanism.randomize(values[who], source=sv.Seeded(seed))
        keys = pa.array([f"user-{i}" for i in who.tolist()])
        pq.write_table(reports.to_arrow().append_column("id", keys), folder / f"{name}.parquet")
        found[name] = (mechanism, reports, [f"user-{i}" for i in who.tolist()])
    floats = values / 50 - 1 + rng.laplace(0, 2 / 0.5, N)
    everybody = [f"user-{i}" for i in range(N)]
    pq.write_table(pa.table({"id": everybody, "y": floats}), folder / "old.parquet")
    found["old"] = (floats, everybody)
    return found


@pytest.fixture(autouse=True)
def here(made, monkeypatch):
    monkeypatch.chdir(made["folder"])


BOTH = [*service("bank.parquet:pm:0.5"), *service("shop.parquet:sw:1"), *KEYED]


def in_python(made, *names):
    parts = [made[name] for name in names]
    reports, keys = [p[1] for p in parts], [p[2] for p in parts]
    return sv.fuse_mean(None, reports, keys=keys, names=names)


def test_the_mean_is_that_of_the_library(made):
    told, expected = run_json(*BOTH), in_python(made, "bank", "shop")
    assert told["users"] == expected.n
    assert told["mean"]["value"] == pytest.approx(expected.value, abs=1e-10)
    assert told["mean"]["stderr"] == pytest.approx(expected.stderr, abs=1e-10)
    assert [row["weight"] for row in told["services"]] == pytest.approx(
        list(expected.weights.values())
    )
    assert [row["certified"] for row in told["services"]] == ["yes", "yes"]
    assert told["certified"] is True
    wide = run_json(*BOTH, "--confidence", 0.99, "--about", "population", "--method", "ua")["mean"]
    assert wide["method"] == "ua"
    assert wide["high"] - wide["low"] > told["mean"]["high"] - told["mean"]["low"]


def test_order_of_services_and_memory_change_nothing():
    swapped = [*BOTH[2:4], *BOTH[:2], *KEYED]
    first, other = run_json(*BOTH)["mean"], run_json(*swapped, "--memory", 1)["mean"]
    assert first["value"] == pytest.approx(other["value"], abs=1e-10)
    assert first["stderr"] == pytest.approx(other["stderr"], abs=1e-10)


def test_words(made):
    shown = run(*BOTH).stdout
    assert f"{in_python(made, 'bank', 'shop').n:,} users" in shown
    assert "mean: population; " in shown
    assert "95% intervals, about the respondents" in shown
    assert "square-wave" in shown


def test_floats_beside_ours(made):
    old = service("old.parquet:laplace:0.5:units=-1..1,name=corner shop")
    told = run_json(*BOTH, *old)
    assert (told["certified"], told["users"]) == (False, N)
    assert [row["certified"] for row in told["services"]] == ["yes", "yes", "no"]
    assert "privacy not certified: corner shop" in told["mean"]["why"]
    floats, keys = made["old"]
    reports = [
        made["bank"][1],
        made["shop"][1],
        sv.foreign(floats, "laplace", PAY, 0.5, units=(-1, 1)),
    ]
    expected = sv.fuse_mean(None, reports, keys=[made["bank"][2], made["shop"][2], keys])
    assert told["mean"]["value"] == pytest.approx(expected.value, abs=1e-10)
    assert abs(expected.value - made["values"].mean()) < 5 * expected.stderr


def test_floats_alone_need_a_domain():
    old = service("old.parquet:laplace:0.5:units=-1..1,column=y")
    told = run_json(*old, "--low", 0, "--high", 100, "--bins", 16)
    assert told["users"] == N
    assert "no file says what a value may be" in run(*old, code=2).stderr
    assert "--high of fuse must be given when" in run(*old, "--low", 0, code=2).stderr


def test_the_distribution_and_its_files(made, tmp_path):
    asked = [*BOTH, "--distribution", "--inner", "adaptive"]
    told = run_json(*asked)
    assert "mean" not in told
    shares = told["distribution"]["shares"]
    assert told["distribution"]["method"] == "ule + adaptive"
    assert sum(row["share"] for row in shares) == pytest.approx(1)
    assert {"value", "share", "stderr", "low", "high"} == set(shares[0])
    result = run(*asked, "--mean", "-o", tmp_path / "a.csv", "--plot", tmp_path / "a.png")
    assert "distribution: ule + adaptive" in result.stdout
    assert f"answers in {tmp_path / 'a.csv'}" in result.stderr
    with (tmp_path / "a.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == ["mean", *["share"] * 16]
    assert rows[1]["label"] == "0 to 6.25"
    assert float(rows[1]["value"]) == pytest.approx(shares[0]["share"])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "--force replaces it" in run(*asked, "-o", tmp_path / "a.csv", code=2).stderr


@pytest.mark.filterwarnings("ignore::sottovoce.NotConverged")
def test_shares_without_errors(tmp_path):
    asked = [
        *BOTH,
        "--distribution",
        "--inner",
        "em",
        "--option",
        "max_iterations=30",
        "--no-errors",
    ]
    told = run_json(*asked)["distribution"]
    assert set(told["shares"][0]) == {"value", "share"}
    assert told["iterations"] <= 30
    run(*asked, "-o", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[1].endswith(",,,")


def test_by_position_says_so(made, tmp_path):
    mechanism, reports, _ = made["bank"]
    reports.write(tmp_path / "a.parquet")
    mechanism.randomize(np.full(len(reports), 30.0)).write(tmp_path / "b.parquet")
    result = run(*service(tmp_path / "a.parquet"), *service(tmp_path / "b.parquet"))
    assert "row i of every file is taken for the same person" in result.stderr
    assert "2,000 users" in result.stdout


def test_repeats_are_declared(made, tmp_path):
    table = pq.read_table("bank.parquet")
    pq.write_table(pa.concat_tables([table, table[:50]]), tmp_path / "bank.parquet")
    again = f"{tmp_path / 'bank.parquet'}:pm:0.5"
    told = run(*service(again), *service("shop.parquet"), *KEYED, code=2).stderr
    assert "keys of service 'bank', column 'id' must be different in every row" in told
    first, second = map(int, re.search(r"one key in rows (\d+), (\d+)", told).groups())
    assert second == first + 2000
    found = run_json(*service(f"{again}:repeats=2"), *service("shop.parquet"), *KEYED)
    assert [row["service"] for row in found["services"]] == ["bank#1", "bank#2", "shop"]
    assert [row["users"] for row in found["services"]] == [2000, 50, 2500]


REFUSED = [
    (["--service", "bank.parquet:pm:0.3", *KEYED], "service 'bank' is said to be piecewise(Interval(0, 100, bins=16), epsilon=0.3)"),
    (["--service", "bank.parquet:sw:0.5", *KEYED], "its file holds reports of piecewise"),
    (["--service", "bank.parquet:nothing:0.5"], "unknown mechanism 'nothing'"),
    (["--service", "none.parquet:pm:0.5"], "with a file that exists; got 'none.parquet:pm:0.5'"),
    (["--service", "bank.parquet:pm"], "--service of fuse must be FILE, FILE:MECHANISM:EPSILON"),
    (["--service", "bank.parquet:pm:"], "--service of fuse must be FILE"),
    (["--service", "bank.parquet:pm:much"], "epsilon of service 'bank' must be a number; got 'much'"),
    (["--service", "bank.parquet:pm:0.5:units=-1..1"], "units of service 'bank' must be left out: the file holds reports"),
    (["--service", "bank.parquet:pm:0.5:units=3"], "units of service 'bank' must be an interval such as -1..1; got 3"),
    (["--service", "bank.parquet:pm:0.5:name=1.5"], "name of service 1.5 must be a name"),
    (["--service", "bank.parquet", "--service", "bank.parquet", *KEYED], "names of align must be different"),
    (["--service", "bank.parquet", "--service", "shop.parquet"], "service 'shop' has 2500 reports and service 'bank' has 2000"),
    (["--service", "bank.parquet", "--key-column", "user"], "the key column of service 'bank' must be one of the columns of its file: output, id; got 'user'"),
    (["--service", "old.parquet"], "no file says what a value may be"),
    (["--service", "old.parquet", "--service", "bank.parquet"], "mechanism, epsilon and domain of service 'old' must be given"),
    (["--service", "old.parquet:sr:0.5", "--low", "0", "--high", "100"], "row 1 of column 'y' of service 'old' must be"),
    (["--service", "old.parquet:olh:0.5", "--low", "0", "--high", "100"], "service 'old': floats of 'olh' have no known law"),
    (["--service", "old.parquet:pm:0.5:column=id", "--low", "0", "--high", "1"], "column 'id' of service 'old' must be of numbers"),
    (["--service", "old.parquet:laplace:0.5", "--service", "bank.parquet", "--low", "0", "--high", "9", *KEYED], "service 'bank' reports about Interval(0, 100, bins=16), service 'old' about Interval(0, 9"),
    ([*BOTH, "--method", "best"], "method of fuse_mean must be one of population, ua, uwa"),
    ([*BOTH, "--distribution", "--inner", "raw"], "inner of fuse_distribution must be one of"),
    ([*BOTH, "--plot", "a.png"], "--plot of fuse must be given with --distribution"),
    ([*BOTH, "--no-errors"], "--no-errors of fuse must be given with --distribution"),
    ([*BOTH, "--option", "a=1"], "--option of fuse must be given with --distribution"),
    ([*BOTH, "--distribution", "--plot", "a.gif"], "--plot of fuse must be a file named .png"),
    ([*BOTH, "--distribution", "--plot", "a.png", "--no-errors"], "--no-errors of fuse must be left out with --plot"),
    ([*BOTH, "--confidence", "2"], "confidence"),
    ([*BOTH, "--memory", "0"], "--memory of fuse must be a whole number of at least 1"),
    ([*BOTH, "-o", "no/where.csv"], "in a folder that exists"),
    ([*BOTH, "-o", "bank.parquet", "--force"], "another file than the input"),
]  # fmt: skip


@pytest.mark.parametrize("arguments, mentions", REFUSED, ids=[m[:40] for _, m in REFUSED])
def test_refusals_are_one_line(arguments, mentions):
    before = sorted(Path().iterdir())
    result = run(*arguments, code=2)
    assert result.stdout == ""
    line = result.stderr.strip().splitlines()[-1]
    assert line.startswith("error: ")
    assert mentions in line
    assert sorted(Path().iterdir()) == before


def test_no_user_in_common(made, tmp_path):
    _, reports, keys = made["shop"]
    other = pa.array([key.upper() for key in keys])
    pq.write_table(reports.to_arrow().append_column("id", other), tmp_path / "shop.parquet")
    told = run(*BOTH[:2], *service(tmp_path / "shop.parquet"), *KEYED, code=2).stderr
    assert "no user is in common between any of the services 'bank', 'shop'" in told


def test_a_file_name_may_have_colons(tmp_path, made):
    odd = tmp_path / "a:pm:2.parquet"
    made["bank"][1].write(odd)
    read = ServiceText.read(f"{odd}:pm:0.5:name=7,key=9,repeats=3,steps=8")
    assert (read.path, read.name, read.mechanism, read.epsilon) == (odd, "7", "pm", 0.5)
    assert (read.key, read.repeats, read.options) == ("9", 3, {"steps": 8})
    assert ServiceText.read(str(odd)).mechanism is None
    with pytest.raises(InvalidInput, match="repeats of service 'x' must be a whole number"):
        ServiceText.read(f"{odd}:pm:0.5:name=x,repeats=0")

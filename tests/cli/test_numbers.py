"""Questions on numbers through the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import sottovoce as sv
from support.commands import run

INCOME = sv.Interval(0, 60_000, bins=24)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tallies of incomes through an oracle and through stochastic rounding, and grouped reports."""
    where, rng = tmp_path_factory.mktemp("numbers"), np.random.default_rng(1)
    incomes = 60_000 * rng.beta(5, 2, 4000)
    for name in ("olh", "sr"):
        mechanism = sv.mechanism(name, INCOME, 2.0)
        reports = mechanism.randomize(incomes, source=sv.Seeded(2))
        mechanism.tally(reports).write(where / f"{name}.svt")
        table = reports.to_arrow().append_column("town", [["a", "b"] * 2000])
        import pyarrow.parquet as pq

        pq.write_table(table, where / f"{name}.parquet")
    return where


ALL = (
    "--mean",
    "--variance",
    "--quantile",
    0.5,
    "--quantile",
    0.9,
    "--cdf",
    50_000,
    "--range",
    "1000:9000",
)


def test_every_question(folder):
    told = json.loads(run("estimate", folder / "olh.svt", *ALL, "--json").stdout)
    e = sv.estimate(sv.Tally.read(folder / "olh.svt"), "adaptive")
    assert told["method"] == "adaptive"
    right = [e.range(1000, 9000), e.cdf(50_000), *e.quantile([0.5, 0.9]), e.mean(), e.variance()]
    questions = ["range", "cdf", "quantile", "quantile", "mean", "variance"]
    assert [row["question"] for row in told["answers"]] == questions
    for row, answer in zip(told["answers"], right, strict=True):
        assert (row["value"], row["stderr"], row["low"], row["high"], row["label"]) == (
            answer.value, answer.stderr, answer.low, answer.high, answer.label,
        )  # fmt: skip


def test_as_csv_and_as_text(folder):
    rows = list(
        csv.DictReader(io.StringIO(run("estimate", folder / "olh.svt", *ALL, "--csv").stdout))
    )
    assert [row["label"] for row in rows][2:] == [
        "quantile 0.5",
        "quantile 0.9",
        "mean",
        "variance",
    ]
    shown = run("estimate", folder / "olh.svt", "--quantile", 0.5).stdout
    assert f"{float(rows[2]['value']):.0f}" in shown  # no exponents where money is meant
    assert "e+0" not in shown


def test_by_group_with_differences(folder):
    told = json.loads(
        run("estimate", folder / "olh.parquet", "--by", "town", "--quantile", 0.5, "--variance", "--json").stdout
    )  # fmt: skip
    first, second = (group["answers"] for group in told["groups"])
    for a, b, c in zip(first, second, told["difference"]["answers"], strict=True):
        # What is compared is unbiased, beside the shown estimates.
        spread = np.hypot(a["stderr"], b["stderr"]) + c["stderr"]
        assert abs(c["value"] - (b["value"] - a["value"])) < 3 * spread
        assert 0 < c["p_value"] <= 1


def test_pictures(folder, tmp_path):
    for kind in ("shares", "cdf"):
        picture = tmp_path / f"{kind}.svg"
        run("estimate", folder / "olh.svt", "--mean", "--plot", picture, "--kind", kind)
        assert picture.stat().st_size > 5000
    said = run("estimate", folder / "olh.svt", "--kind", "cdf", code=2).stderr
    assert "--kind of estimate must be given together with --plot; got 'cdf'" in said
    said = run("estimate", folder / "olh.svt", "--kind", "pie", code=2).stderr
    assert "--kind of estimate must be one of cdf, keys, ring, shares, trace; got 'pie'" in said


def test_a_mean_and_nothing_else(folder):
    told = json.loads(run("estimate", folder / "sr.svt", "--mean", "--json").stdout)
    assert abs(told["answers"][0]["value"] - 60_000 * 5 / 7) < 6 * told["answers"][0]["stderr"]
    for asked in ((), ("--quantile", 0.5), ("--top", 3), ("--mean", "--variance")):
        said = run("estimate", folder / "sr.svt", *asked, code=2).stderr
        assert "needs shares, and this estimate has none" in said
        assert "what can be asked of it: mean" in said
    told = json.loads(
        run("estimate", folder / "sr.parquet", "--by", "town", "--mean", "--json").stdout
    )
    assert len(told["difference"]["answers"]) == 1


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--quantile", "1.5", "q of quantile must be a number from 0 to 1; got 1.5"),
        ("--quantile", "nan", "q of quantile must be a number from 0 to 1; got nan"),
        ("--cdf", "60001", "x of cdf must be a number from 0 to 60000; got 60001.0"),
        ("--cdf", "inf", "x of cdf must be a number from 0 to 60000; got inf"),
    ],
)
def test_bad_numbers(folder, option, text, said):
    assert said in run("estimate", folder / "olh.svt", option, text, code=2).stderr

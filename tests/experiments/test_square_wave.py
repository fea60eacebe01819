"""The square wave reproduced: numbers, claims that can fail, repeats, and a small run from end to end."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.app import app
from sottovoce.experiments import numbers, papers
from sottovoce.experiments.claims import Claim, Reading, judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import repeat
from sottovoce.experiments.square_wave import comparison, figures, variants
from sottovoce.experiments.square_wave.means import ROUNDINGS
from sottovoce.experiments.square_wave.run import CLAIMS
from sottovoce.experiments.square_wave.sweep import EPSILONS, MEASURES

# -- numbers -----------------------------------------------------------------------------


def test_made_up_numbers_are_always_there():
    (beta,), skipped = numbers.load(["beta-5-2"], None)
    assert (beta.n, beta.bins, skipped) == (100_000, 256, [])
    assert abs(beta.shares() @ ((np.arange(256) + 0.5) / 256) - 5 / 7) < 0.003
    assert beta.counts(1024).reshape(256, 4).sum(axis=1).tolist() == beta.counts().tolist()
    with pytest.raises(InvalidInput, match="bins of data set beta-5-2 must be a divisor of 8192"):
        beta.counts(1000)


def test_real_numbers_are_skipped_with_a_message(tmp_path):
    found, skipped = numbers.load(numbers.names(), None)
    assert [d.name for d in found] == ["beta-5-2"]
    assert skipped[0] == "taxi: skipped, no folder with real data was given"
    found, skipped = numbers.load(["wages"], tmp_path)
    assert (found, skipped) == ([], [f"wages: skipped, cps_wages.parquet is not in {tmp_path}"])
    with pytest.raises(InvalidInput, match="dataset of load must be one of.*'incomes'"):
        numbers.load(["incomes"], None)


def write_tables(folder, rng):
    """Files of the shape of the real ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    taxi = {"year": [2018, 2019, 2020], "pickup_second": [0, 86_399, 40_000]}
    pay = {"benefits": [None, -5, 0, 59_999, 60_000]}
    wages = {"wage": [0, *rng.integers(1, 100_000, 5_000).tolist(), 524_287, 524_288]}
    files = {"nyc_taxi_pickups": taxi, "sf_pay": pay, "cps_wages": wages}
    for name, table in files.items():
        pq.write_table(pa.table(table), folder / f"{name}.parquet")


def test_files_are_read(tmp_path):
    write_tables(tmp_path, np.random.default_rng(1))
    found, skipped = numbers.load(numbers.names(), tmp_path)
    assert skipped == []
    sizes = {d.name: d.n for d in found}
    rounded = sizes.pop("wages-rounded")
    assert rounded in (5_000, 5_001)  # 524,287 may be told as 525,000, which is beyond
    assert sizes.pop("wages-rounded-many") == 12 * rounded
    assert sizes == {"beta-5-2": 100_000, "taxi": 2, "benefits": 2, "wages": 5_001}
    by_name = {d.name: d for d in found}
    assert by_name["taxi"].counts()[[0, -1]].tolist() == [1, 1]
    assert by_name["wages-rounded"].shares().max() > 3 * by_name["wages"].shares().max()


def test_people_tell_round_numbers():
    amounts = np.full(100_000, 31_202.0)
    told = numbers.rounded_as_told(amounts, np.random.default_rng(3))
    values, counts = np.unique(told, return_counts=True)
    assert values.tolist() == [30_000, 31_000, 31_200, 31_202]
    np.testing.assert_allclose(counts / 100_000, [0.3, 0.3, 0.3, 0.1], atol=0.01)
    assert numbers.rounded_as_told(np.ones(50), np.random.default_rng(3)).min() >= 1


REAL = {
    "taxi": 239_992, "benefits": 111_899, "wages": 194_432, "wages-rounded": 194_431,
    "wages-rounded-many": 2_333_172,
}  # fmt: skip


def test_real_numbers_have_the_published_sizes(data_folder):
    found, skipped = numbers.load(REAL, data_folder)
    assert skipped == []
    assert {d.name: d.n for d in found} == REAL


# -- repeats ------------------------------------------------------------------------------


def one_draw(cell):
    return lambda source: {"a": np.array([cell, source.generator().random()])}


def test_repeats_do_not_depend_on_workers():
    one = repeat(one_draw, [3, 4], 23, what="test", workers=1)
    two = repeat(one_draw, [3, 4], 23, what="test", workers=2)
    assert [cell["a"].shape for cell in one] == [(2, 23), (2, 23)]
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a["a"], b["a"])
    assert one[0]["a"][0].tolist() == [3] * 23
    assert len(set(np.concatenate([cell["a"][1] for cell in one]))) == 46


def test_one_grid_serves_all_buckets():
    """A device that knows its place in 8,192 bins does what it does in 256."""
    (beta,), _ = numbers.load(["beta-5-2"], None)
    variant = variants.Variant(beta, 1.0, bins=256)
    coarse, fine = variant.on(256), variant.on(numbers.FINE, output_bins=256)
    assert (fine.weights, fine.cells, fine.positions) == (
        coarse.weights, coarse.cells, coarse.positions,
    )  # fmt: skip
    even = np.repeat(beta.shares(256), 32) / 32
    np.testing.assert_allclose(
        fine.channel().forward(even), coarse.channel().forward(beta.shares(256)), atol=1e-12
    )


# -- claims -----------------------------------------------------------------------------------

LINES = {
    **MEASURES, "shapes": tuple(variants.RATIOS), "buckets": tuple(map(str, variants.BUCKETS)),
    "orders": variants.ORDERS, "means": ROUNDINGS,
}  # fmt: skip
TESTED = [claim for claim in read_claims(CLAIMS) if claim.kind != "cells"]


def test_the_claims_are_well_formed():
    claims = read_claims(CLAIMS)
    assert len({claim.name for claim in claims}) == len(claims) > 30
    prepared = {"shapes", "chosen b", "adaptive mean"}
    prepared |= {f"{what} {method}" for what in ("stops", "expected") for method in ("em", "ems")}
    for claim in claims:
        assert claim.low < claim.high
        assert set(claim.datasets) <= set(figures.ALL)
        if claim.kind == "cells":
            assert claim.table in prepared
        else:
            assert set(claim.methods) | set(claim.against) <= set(LINES[claim.measure])


@pytest.fixture(scope="module")
def curves():
    """Errors that no claim was made for."""
    rng = np.random.default_rng(5)
    made = {}
    for name in figures.ALL:
        for measure, lines in LINES.items():
            xs = variants.SHAPE_WIDTHS if measure == "shapes" else EPSILONS
            values = rng.uniform(0.5, 1, (len(xs), len(lines), 3))
            made[name, measure] = Curve(name, measure, "x", xs, lines, values)
    return made


@pytest.mark.parametrize("claim", TESTED, ids=lambda claim: claim.name)
def test_every_claim_fails_on_numbers_that_contradict_it(claim, curves):
    assert judge([claim], curves, {})[0].verdict in ("held", "held partly", "did not hold")
    verdicts = set()
    for scale, power in ((1e9, 0), (1e-9, 0), (1, 12), (1, -12)):
        bent = {}
        for key, curve in curves.items():
            values, rows = (
                curve.values.copy(),
                [curve.methods.index(m) for m in claim.methods[:1]]
                if key[1] == claim.measure
                else [],
            )
            values[:, rows] *= scale * np.array(curve.xs)[:, None, None] ** power
            bent[key] = replace(curve, values=values)
        verdicts.add(judge([claim], bent, {})[0].verdict)
    partly = len(claim.methods) > 1  # one method may stay as it was
    assert {"did not hold", "held partly"} & verdicts if partly else "did not hold" in verdicts


def test_most_is_more_than_half():
    claim = Claim("c", "", "", "", "cells", high=1.0, table="t", quota=0.5)
    right, wrong = Reading("a", 0.5, 0.0), Reading("b", 2.0, 0.0)
    assert judge([claim], {}, {"t": [right, right, wrong]})[0].verdict == "held"
    assert judge([claim], {}, {"t": [right, wrong]})[0].verdict == "held partly"
    assert judge([claim], {}, {"t": [wrong, wrong]})[0].verdict == "did not hold"
    assert claim.allowed == "at most 1 in more than 50%"


def curve_of(name, measure, xs, lines, means):
    values = np.repeat(np.array(means, dtype=float)[..., None], 4, axis=-1)
    return {(name, measure): Curve(name, measure, "x", xs, lines, values)}


def test_readings_prepared_for_claims():
    lines = tuple(f"epsilon {e:g}" for e in variants.WIDTH_EPSILONS)
    xs = (*variants.HALF_WIDTHS, variants.CHOSEN)
    means = np.ones((len(xs), 4))
    means[3], means[-1] = 0.5, 0.6
    found = variants.chosen_width_readings(curve_of("d", "widths", xs, lines, means))
    assert [round(r.value, 6) for r in found] == [1.2] * 4
    assert "b 0.256 / best of those tried, 0.1" in found[1].where
    lines = tuple(variants.RATIOS)
    shapes = curve_of("d", "shapes", (0.1, 0.2), lines, [[1, 1, 1, 1, 1, 4], [2, 2, 2, 2, 4, 2]])
    assert [round(r.value, 6) for r in variants.shape_readings(shapes)] == [1, 1, 1, 0.6, 0.5]
    stops = curve_of("d", "stops", variants.STOPS, ("ems", "em"), [[1, 1], [1.05, 2], [1, 3]])
    assert [r.value for r in variants.stop_readings(stops, "ems")] == [pytest.approx(1.05)]
    assert [r.value for r in variants.stop_readings(stops, "em")] == [pytest.approx(3)]


def test_adaptive_is_read_over_all_four_sets():
    lines, made = MEASURES["wasserstein"], {}
    for k, name in enumerate(comparison.ADAPTIVE_SETS):
        means = np.ones((5, len(lines)))
        means[:, lines.index("adaptive")] = 0.5 if k else 1.1
        means[:, lines.index("ems")] = 1 if k else 2
        made |= curve_of(name, "wasserstein", EPSILONS, lines, means)
    each, whole = comparison.adaptive_readings(made)
    assert each.value == pytest.approx((0.55 + 1.5) / 4)
    assert whole.value == pytest.approx(2.6 / 5)
    table = comparison.adaptive_table(made)
    assert len(table) == 12
    assert table["adaptive / better"][0] == "1.100 ± 0.000"
    del made["wages", "wasserstein"]
    assert comparison.adaptive_readings(made) == []


# -- end to end -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A run of few cells and few bins on made-up data, in this process, by the command line."""
    folder = tmp_path_factory.mktemp("square-wave")

    def load(wanted, data):
        (beta,), skipped = numbers.load(wanted, data)
        return [replace(beta, bins=64)], skipped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        patch.setattr(import_module("sottovoce.experiments.square_wave.run"), "load", load)
        patch.delenv("SOTTOVOCE_DATA", raising=False)
        patch.setattr(variants, "SHAPE_WIDTHS", (0.14, 0.3))
        patch.setattr(variants, "HALF_WIDTHS", (0.1, 0.3))
        patch.setattr(variants, "_EPSILONS", (1.0, 2.5))
        arguments = ["reproduce", "square-wave", "--repeats", "2", "-o", str(folder), "--json"]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), folder


@pytest.mark.slow
def test_a_small_reproduction_writes_page_numbers_and_pictures(small):
    found, folder = small
    assert found["paper"] == "square-wave"
    names = {path.name for path in folder.iterdir()}
    assert {"square-wave.html", "square-wave.json", "square-wave-tables.md"} < names
    assert {f"square-wave-figure-{k}.png" for k in range(2, 8)} < names
    assert len(found["skipped"]) == 5
    page = (folder / "square-wave.html").read_text()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert page.count("<svg") == 2 + 2 + 3 + 1 + 1 + 1 + 1
    assert "wages: skipped, no folder with real data was given" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    numbers_written = json.loads((folder / "square-wave.json").read_text())
    assert numbers_written["repeats"] == 2
    assert {curve["dataset"] for curve in numbers_written["curves"]} == {"beta-5-2"}
    for curve in numbers_written["curves"]:
        assert all(math.isfinite(x) and x >= 0 for row in curve["mean"].values() for x in row)


@pytest.mark.slow
def test_a_small_reproduction_has_verdicts(small):
    found, _ = small
    verdicts = {finding["claim"]: finding["verdict"] for finding in found["findings"]}
    assert len(verdicts) > 30
    readings = {finding["claim"]: finding["readings"] for finding in found["findings"]}
    assert len(readings["ems-least-wasserstein"]) == len(EPSILONS)
    assert verdicts["few-bins-at-small-epsilon"] == "held"
    assert verdicts["taxi-narrow-ranges"] == "not tested"
    assert verdicts["adaptive-on-average"] == "not tested"


def test_it_is_listed():
    assert papers()["square-wave"].startswith("Estimating numerical distributions")
    assert sv.metrics.DECILES[0] == 0.1

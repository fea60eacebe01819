"""Mixture reduction reproduced: data sets, readings, claims that can fail, and a small run from end to end."""

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
from sottovoce.answers.trace import Reduction
from sottovoce.cli.app import app
from sottovoce.experiments import outcome, papers
from sottovoce.experiments.claims import judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.mixture_reduction import (
    categories,
    conditional,
    convergence,
    distributions,
    frequencies,
    means,
    pairs,
    readings,
    rivals,
    tables,
    values,
)
from sottovoce.experiments.mixture_reduction.methods import estimate_by, left_over, merged

run = import_module("sottovoce.experiments.mixture_reduction.run")
PARTS = (*categories.SETS, categories.UNIFORM)

# -- data sets -----------------------------------------------------------------------------------


def test_made_up_sets_are_always_there():
    found, skipped = categories.load(PARTS, None)
    sizes = {d.name: (d.n, d.size) for d in found}
    assert sizes == {
        "mixture-60": (categories.EMPLOYEES, 60),
        "zipf-300": (categories.TAXPAYERS, 300),
        "uniform": (50_000, 100),
    }
    assert len(skipped) == 3
    assert set(PARTS) == set(categories.names())


def test_values_without_order_are_shuffled():
    found, _ = categories.load(["mixture-60", "zipf-300"], None)
    for data in found:
        ranks = np.argsort(np.argsort(-data.counts))
        along = np.corrcoef(ranks, np.arange(data.size))[0, 1]
        assert abs(along) < 0.3  # sorted by true count it would be 1
        again, _ = categories.load([data.name], None)
        assert again[0].counts.tolist() == data.counts.tolist()


def test_the_mixture_of_the_paper():
    draws = values.two_bells(200_000, np.random.default_rng(5))
    assert len(draws) == 200_000
    assert np.abs(draws).max() < 1
    (mixture,), _ = values.load(["s-mn"], None)
    assert (mixture.n, mixture.bins, mixture.low, mixture.high) == (300_000, 1024, -1, 1)
    middles = (np.arange(1024) + 0.5) / 512 - 1
    kept = 0.6 * 0.9332  # of N(0.7, 0.2^2) what is below 1
    expected = (kept * (0.7 - 0.2 * 0.12952 / 0.9332) + 0.4 * 0.2) / (kept + 0.4)
    assert abs(mixture.shares() @ middles - expected) < 0.003  # s.e. 0.0006


def test_real_sets_are_skipped_with_a_message(tmp_path):
    for load, wanted, count in (
        (categories.load, PARTS, 3),
        (values.load, values.SETS, 2),
        (pairs.load, pairs.SETS, 2),
    ):
        _, skipped = load(wanted, tmp_path)
        assert len(skipped) == count
        assert all(f"is not in {tmp_path}" in said for said in skipped)


def test_real_sets_have_the_papers_sizes(data_folder):
    found, skipped = categories.load(PARTS, data_folder)
    assert skipped == []
    sizes = {d.name: (d.n, d.size) for d in found}
    assert sizes["adult"] == (43_386, 60)
    assert sizes["zones"] == (300_000, 265)
    assert sizes["cities"] == (300_000, 300)
    numbers, skipped = values.load(values.SETS, data_folder)
    assert skipped == []
    assert [d.n for d in numbers] == [300_000, 43_386, 194_432]
    keys, skipped = pairs.load(pairs.SETS, data_folder)
    assert skipped == []
    for data in keys:
        assert data.n == 43_386
        assert data.counts.shape == (data.size, pairs.BINS)
        assert data.counts.sum(axis=1).min() > 0


# -- methods and errors ------------------------------------------------------------------------------


def step(inputs, kept=True):
    return Reduction(tuple(inputs), 1, 0.1, 0.2, 5, -1.0 if kept else 1.0, kept)


def test_what_a_reduction_merged():
    steps = (step([0, 1]), step([4, 5]), step([0, 1, 2]), step([7, 8], kept=False))
    assert merged(steps) == [(4, 5), (0, 1, 2)]
    assert merged(()) == []


def test_proposition_1_where_it_is_exact():
    """Values merged that are truly alike: no spread, and K' of K components are left."""
    mechanism = sv.mechanism("grr", sv.Categories(8), 2.0)
    tally = mechanism.simulate(np.array([4000, 3000, 10, 10, 10, 10, 10, 10]), source=sv.Seeded(2))
    found = estimate_by(tally, "mr")
    groups = merged(found.trace)
    assert groups
    parts = left_over(found, np.full(8, 1 / 8))
    assert parts["spread"] == 0
    assert parts["kept"] == (8 - sum(len(g) - 1 for g in groups)) / 8
    truth = np.arange(8.0)
    by_hand = sum(np.sum((truth[list(g)] - truth[list(g)].mean()) ** 2) for g in groups) / 8
    assert math.isclose(left_over(found, truth)["spread"], by_hand)


def test_a_drawing_of_shares_measures_all_methods():
    (data,), _ = categories.load(["mixture-60"], None)
    small = replace(data, counts=data.counts // 20)
    for oracle in frequencies.ORACLES:
        survey = frequencies.Survey(small, oracle, 1.0)
        errors = survey.draw(sv.Seeded(1))
        assert errors["mae"].shape == errors["mse"].shape == (len(survey.lines),)
        assert ("em-cut" in survey.lines) == (oracle == "grr")
        assert errors["ranks"].shape == (60, len(frequencies.BIASED))
        unbiased = errors["ranks"][:, frequencies.BIASED.index("unbiased")]
        truth = np.sort(small.shares)[::-1]
        place = survey.lines.index("unbiased")
        assert math.isclose(np.abs(unbiased - truth).mean(), errors["mae"][place])
        assert math.isclose(np.abs(unbiased - truth)[:6].mean(), errors["top"][place])
        measured, predicted, part = errors["proposition"]
        assert math.isclose(measured, errors["mse"][survey.lines.index("mr")])
        assert predicted >= part > 0


def test_sorted_heights_do_not_see_where_bins_are():
    truth = np.random.default_rng(1).dirichlet(np.ones(20))
    rows = np.array([truth, truth[::-1], np.full(20, 0.05)])
    apart = distributions._heights(rows, truth)
    assert np.allclose(apart[:2], 0)
    assert apart[2] > 0.01


def test_a_path_of_em_is_em():
    (data,), _ = categories.load(["mixture-60"], None)
    survey = frequencies.Survey(replace(data, counts=data.counts // 50), "olh", 2.0)
    tally = survey.mechanism.simulate(survey.data.counts, source=sv.Seeded(4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convergence, "PASSES", (1, 7, 40))
        found = convergence._along(tally)
    for passes, shares in zip((1, 7, 40), found, strict=True):
        whole = sv.estimate(tally, "em", max_iterations=passes, tolerance=0.0)
        np.testing.assert_allclose(shares, whole.shares, atol=1e-12)


def test_means_of_keys_are_those_that_the_estimate_tells():
    (data,), _ = pairs.load(["bells"], None)
    collection = conditional.Collection(data, 4.0)
    for name in ("ue", "grr", "pm"):
        tally = collection.mechanisms[name].simulate(data.counts.ravel(), source=sv.Seeded(3))
        found = sv.estimate(tally, "unbiased")
        means, held = collection._told(found)
        for key in (0, 9):
            label = data.domain.keys.label(key)
            assert math.isclose(means[key], found.mean(label).value, abs_tol=1e-9)
            assert math.isclose(held[key], found.frequency(label).value, abs_tol=1e-9)
        assert np.abs(means - data.means).max() < 0.5


# -- readings --------------------------------------------------------------------------------------


def test_passes_to_settle():
    errors = np.array([[9.0, 1.0], [4.0, 1.0], [1.01, 1.0], [1.0, 1.0]])[:, np.newaxis]
    curve = Curve("x", "path-3", "passes", (1.0, 10.0, 100.0, 1000.0), ("em",), errors)
    assert readings._passes_to_settle(curve).tolist() == [100.0, 1.0]


def test_bias_has_a_sign():
    (data,), _ = categories.load(["mixture-60"], None)
    truth = np.sort(data.shares)[::-1]
    drawn = 0.9 * truth + 0.1 / 60  # shrunk: frequent values too low, rare ones too high
    noise = np.random.default_rng(1).normal(0, 1e-5, (60, len(frequencies.BIASED), 5))
    ranks = tuple(map(float, range(1, 61)))
    shares = drawn[:, np.newaxis, np.newaxis] + noise
    curves = {
        (data.name, f"{o}-ranks"): Curve(data.name, "r", "rank", ranks, frequencies.BIASED, shares)
        for o in frequencies.ORACLES
    }
    found = readings.prepared(curves, {data.name: data})
    for table in ("frequent too low grr", "rare too high olh"):
        (reading,) = found[table]
        assert reading.value > 10 * reading.stderr > 0
    (reading,) = found["less bias grr"]
    assert abs(reading.value - 1) < 0.01


# -- claims ----------------------------------------------------------------------------------------

_SHARES = {
    f"{oracle}-{measure}": (frequencies.LINES, frequencies.EPSILONS)
    for oracle in frequencies.ORACLES
    for measure in frequencies.MEASURES
}
KNOWN = {
    **_SHARES,
    **{f"{o}-proposition": (frequencies.PREDICTED, frequencies.EPSILONS) for o in ("grr", "olh")},
    **{f"{o}-told": (frequencies.TOLD, (1.0,)) for o in ("grr", "olh")},
    **{
        f"{m}-{kind}-wasserstein": (lines, distributions.SIZES)
        for m in distributions.SIZE_MECHANISMS
        for kind, lines in (("size", distributions.LINES), ("adaptive", distributions.ADAPTIVE))
    },
    "passes": (convergence.COUNTED, convergence.PATH_EPSILONS),
    "seconds": (tuple(convergence.PAPER_SECONDS[43_386]), convergence.TIMED_EPSILONS),
    "means": (conditional.LINES, conditional.EPSILONS),
}


def lines_of(claim, dataset):
    if dataset == categories.UNIFORM and claim.measure in _SHARES:
        return frequencies.UNIFORM_LINES
    return KNOWN[claim.measure][0]


def test_the_claims_are_well_formed():
    claims = read_claims(run.CLAIMS)
    theirs = [claim for claim in claims if claim.where != "ours"]
    assert len({claim.name for claim in claims}) == len(claims)
    assert len(theirs) > 20
    assert all(claim.paper for claim in theirs)
    asked = {claim.table for claim in claims if claim.kind == "cells"}
    assert asked <= set(readings.prepared({}, {}))
    sets = {*PARTS, *values.SETS, *pairs.SETS}
    for claim in claims:
        assert claim.low < claim.high
        assert set(claim.datasets) <= sets
        if claim.kind != "cells":
            assert claim.datasets
            assert set(claim.at) <= set(KNOWN[claim.measure][1])
            for dataset in claim.datasets:
                known = set(lines_of(claim, dataset))
                assert set(claim.methods) | set(claim.against) <= known, claim.name


@pytest.mark.parametrize(
    "claim", [c for c in read_claims(run.CLAIMS) if c.kind == "ratio"], ids=lambda c: c.name
)
def test_every_claim_can_hold_and_can_fail(claim):
    """Curves made so that the quotient is inside the interval, and outside."""
    inside = (claim.low + claim.high) / 2 if math.isfinite(claim.high) else 2 * claim.low
    outside = claim.low / 2 if claim.low else 2 * claim.high
    for quotient, verdict in ((inside, "held"), (outside, "did not hold")):
        curves = {}
        for dataset in claim.datasets:
            lines, xs = lines_of(claim, dataset), tuple(map(float, KNOWN[claim.measure][1]))
            errors = np.ones((len(xs), len(lines), 4))
            for method in claim.methods:
                errors[:, lines.index(method)] = quotient
            curves[dataset, claim.measure] = Curve(dataset, claim.measure, "x", xs, lines, errors)
        (finding,) = judge([claim], curves, {})
        assert finding.verdict == verdict


# -- end to end ------------------------------------------------------------------------------------


def _unrendered(figure):
    """Pictures are drawn, but not made into files: panels are on the page already."""
    assert figure.axes
    return b"png"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A run of few people and bins on made-up data, in this process, by the command line."""
    folder = tmp_path_factory.mktemp("mixture-reduction")

    def fewer(load, part):
        def loaded(wanted, data):
            found, skipped = load(wanted, data)
            kept = [d for d in found if d.name != "zipf-300"]
            return [replace(d, counts=d.counts // part) for d in kept], skipped

        return loaded

    def few_numbers(wanted, data):
        found, skipped = load_numbers(wanted, data)
        return [replace(d, fine=d.fine // 30) for d in found], skipped

    load_numbers = values.load
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        patch.setattr(categories, "load", fewer(categories.load, 100))
        patch.setattr(pairs, "load", fewer(pairs.load, 100))
        patch.setattr(values, "load", few_numbers)
        for module in (distributions, convergence, means):
            patch.setattr(module, "BINS", 32)
        patch.setattr(distributions, "SIZES", (200, 1000))
        patch.setattr(distributions, "_SOME", 1000)
        patch.setattr(means, "FEWEST", (500,))
        patch.setattr(means, "EPSILONS", (0.5, 1.5))
        patch.setattr(convergence, "PASSES", (1, 10, 100))
        patch.setattr(run, "_TIMED", ())
        patch.setattr(rivals, "SETTINGS", {300: {}, 100: {"grr": (1.0,)}, 60: {}, 17: {}})
        patch.setattr(outcome, "png", _unrendered)
        patch.delenv("SOTTOVOCE_DATA", raising=False)
        arguments = [
            "reproduce",
            "mixture-reduction",
            "--repeats",
            "2",
            "-o",
            str(folder),
            "--json",
        ]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), folder


@pytest.mark.slow
def test_a_small_reproduction_writes_page_numbers_and_pictures(small):
    found, folder = small
    assert found["paper"] == "mixture-reduction"
    names = {path.name for path in folder.iterdir()}
    stem = "mixture-reduction"
    assert {f"{stem}.html", f"{stem}.json", f"{stem}-tables.md"} < names
    assert {f"{stem}-figure-{k}.png" for k in range(2, 11)} < names
    assert f"{stem}-proposition-1.png" in names
    assert len(found["skipped"]) == 7 + 4  # and populations of the rivals
    page = (folder / f"{stem}.html").read_text()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "adult: skipped, no folder with real data was given" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    written = json.loads((folder / f"{stem}.json").read_text())
    assert written["repeats"] == 2
    for curve in written["curves"]:
        if curve["by"] != "rank" and not curve["measure"].startswith("bias"):
            assert all(math.isfinite(x) and x >= 0 for row in curve["mean"].values() for x in row)


@pytest.mark.slow
def test_a_small_reproduction_has_verdicts(small):
    found, _ = small
    verdicts = {finding["claim"]: finding["verdict"] for finding in found["findings"]}
    assert verdicts["unbiased-worst-grr"].startswith("held")
    assert verdicts["mr-faster-olh"] == verdicts["grr-mr-below-em-many"] == "not tested"
    tested = [v for v in verdicts.values() if v != "not tested"]
    assert len(tested) > 40


def test_seconds_beside_the_papers():
    (data, _), _ = categories.load(["mixture-60", "zipf-300"], None)
    (mixture,), _ = values.load(["s-mn"], None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convergence, "TIMED_EPSILONS", (3.0,))
        patch.setattr(convergence, "BINS", 64)
        curves = convergence.seconds([data], mixture)
    curve = curves["mixture-60", "seconds"]
    assert curve.methods == tuple(convergence.PAPER_SECONDS[data.n])
    assert (curve.values > 0).all()
    table = tables.seconds_table(curves, {data.name: data.n})
    assert table.columns["the paper, s"] == [6.0, 4.0, 58.0, 37.0, 125.0, 90.0]


def test_it_is_listed():
    assert papers()["mixture-reduction"].startswith("Revisiting EM-based estimation")

"""Fusion reproduced: sets of numbers, services, formulas, claims that can fail, and a small run from end to end."""

from __future__ import annotations

import json
import math
import os
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.cli.app import app
from sottovoce.experiments import papers
from sottovoce.experiments.claims import judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.fusion import (
    asking,
    comparison,
    distributions,
    figures,
    groups,
    means,
    services,
    values,
)
from sottovoce.experiments.fusion.run import CLAIMS
from sottovoce.experiments.fusion.sizes import QUICK, Sizes, sizes_of

FOUR, THREE = services.FOUR, services.THREE

# -- data --------------------------------------------------------------------------------------


def test_made_up_sets_are_always_there():
    (beta, waves, skewed), skipped = values.load(["beta-2-5", "beta-sin", "beta-50-2"], None)
    assert skipped == []
    assert beta.n == waves.n == skewed.n == 1_000_000
    mean = beta.shares() @ ((np.arange(256) + 0.5) / 256)
    assert abs(mean - 2 / 7) < 1e-3
    ups = np.diff(np.sign(np.diff(waves.shares(64)[2:50])))
    assert (ups < 0).sum() >= 6  # several waves
    assert skewed.shares()[:128].sum() < 1e-3


def test_real_sets_are_skipped_with_a_message(tmp_path):
    found, skipped = values.load(figures.ALL, tmp_path)
    assert [d.name for d in found] == ["beta-2-5", "beta-sin", "beta-50-2"]
    assert skipped[0] == f"taxi: skipped, nyc_taxi_pickups.parquet is not in {tmp_path}"
    assert set(figures.ALL) == set(values.names())


def test_real_sets_have_the_papers_sizes(data_folder):
    (taxi, pay), skipped = values.load(["taxi", "pay"], data_folder)
    assert skipped == []
    assert (taxi.n, taxi.low, taxi.high) == (1_048_575, 0, 86_400)
    assert (pay.n, pay.low, pay.high) == (606_507, 10_000, 60_000)
    hours = taxi.shares(8192).reshape(-1, 32).sum(axis=1)
    assert hours[40:56].sum() < 0.5 * hours[200:216].sum()  # four in the morning, seven at night


def test_people_are_those_of_the_set():
    (beta,), _ = values.load(["beta-2-5"], None)
    random = np.random.default_rng(1)
    everybody = values.some_people(beta, beta.n, random)
    assert len(everybody) == beta.n
    again = np.bincount(((everybody + 1) / 2 * 8192).astype(int), minlength=8192)
    assert again.tolist() == beta.fine.tolist()
    assert np.any(np.diff(everybody) < 0)  # in no order
    some = values.some_people(beta, 50_000, random)
    assert abs(some.mean() - everybody.mean()) < 0.01
    assert np.abs(some).max() < 1


def test_sequences_change_from_step_to_step():
    steps = values.steps_of_time()
    assert len(steps) == 60
    assert {step.n for step in steps} == {values.CLICKERS}
    assert not np.array_equal(steps[0].fine, steps[30].fine)


# -- services ------------------------------------------------------------------------------------


def test_settings_and_groups_are_the_papers():
    assert [kinds[0] for kinds in services.MEAN_SETTINGS] == [
        ("sr", 0.1), ("sr", 0.2), ("sr", 0.3), ("sr", 0.4),
    ]  # fmt: skip
    for kinds in services.MEAN_SETTINGS:
        assert sorted(epsilon for _, epsilon in kinds) == [0.1, 0.2, 0.3, 0.4]
    for kinds in services.SHARE_SETTINGS:
        assert sorted(epsilon for _, epsilon in kinds) == [0.1, 0.2, 0.3]
    assert len(services.GROUPS) == 11
    assert [len(names) for names in services.GROUPS] == [2] * 6 + [3] * 4 + [4]
    assert len(services.alike(FOUR, 0.1, 4)) == 16


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("sr", lambda E, second: ((E + 1) / (E - 1)) ** 2 - second),
        ("pm", lambda E, second: second / (E**0.5 - 1) + (E**0.5 + 3) / (3 * (E**0.5 - 1) ** 2)),
    ],
)
def test_variances_are_the_textbooks(name, formula):
    (beta,), _ = values.load(["beta-2-5"], None)
    shares = beta.shares(256)
    second = float(shares @ services.DOMAIN.midpoints**2)
    found = services.report_variances(sv.mechanism(name, services.DOMAIN, 0.5), shares)
    assert found == pytest.approx(formula(math.exp(0.5), second), rel=1e-3)


def test_our_laplace_varies_less_than_the_textbooks():
    (beta,), _ = values.load(["beta-2-5"], None)
    ours = services.report_variances(
        sv.mechanism("laplace", services.DOMAIN, 0.3), beta.shares(256)
    )
    assert 0.5 < ours / services.textbook_laplace(0.3) < 0.65


def test_formulas_of_fused_variances():
    (beta,), _ = values.load(["beta-2-5"], None)
    frame = comparison.formula_table([beta])
    assert frame["budgets"] == ["A1", "A2", "A3", "A4"]
    assert frame["best single, ours"] == ["sw", "laplace", "pm", "sr"]
    assert all(float(x) < 1 for x in frame["population / best, ours"])
    readings = comparison.textbook_readings([beta], "ua")
    assert [reading.value > 1 for reading in readings] == [True, False, True, True]


# -- drawings ------------------------------------------------------------------------------------


def test_surveys_measure_single_services_and_fused_ones():
    (beta,), _ = values.load(["beta-2-5"], None)
    kinds = services.alike(FOUR, 2.0)
    surveys = means.Surveys(beta, kinds, FOUR, 500, 3)
    errors = surveys.draw(sv.Seeded(1))
    assert errors["mse"].shape == errors["error"].shape == (7,)
    assert errors["covered"].shape == (3,)
    assert (errors["mse"] >= errors["error"] ** 2 - 1e-15).all()
    again = surveys.draw(sv.Seeded(1))
    np.testing.assert_array_equal(errors["mse"], again["mse"])


def test_a_survey_is_what_fuse_mean_says():
    (beta,), _ = values.load(["beta-2-5"], None)
    surveys = means.Surveys(beta, services.alike(FOUR, 1.0), FOUR, 400, 1)
    errors = surveys.draw(sv.Seeded(8))["error"]
    source = sv.Seeded(8)
    people = values.some_people(beta, 400, source.generator())
    reports = [m.randomize(people, source=source) for m in surveys.mechanisms]
    for place, method in enumerate(means.FUSED):
        found = sv.fuse_mean(surveys.mechanisms, reports, method=method)
        assert errors[4 + place] == pytest.approx(found.value - people.mean(), abs=1e-12)


def test_fits_follow_one_rule_for_all_lines():
    (beta,), _ = values.load(["beta-2-5"], None)
    kinds = (("sr", 1.0), ("pm", 0.5), ("sw", 0.8))
    fits = distributions.Fits(beta, kinds, THREE, 3_000, distributions.RULES)
    assert fits.lines("printed") == (*THREE, "ule")
    assert fits.lines("smoothed") == ("pm", "sw", "ule")
    errors = fits.draw(sv.Seeded(2))
    assert errors["printed"].shape == (4,)
    assert errors["smoothed"].shape == (3,)
    assert (errors["published-passes"] > errors["printed-passes"]).all()
    source = sv.Seeded(2)
    people = values.some_people(beta, 3_000, source.generator())
    truth = np.bincount(services.DOMAIN.indices(people), minlength=256) / 3_000
    reports = [m.randomize(people, source=source) for m in fits.mechanisms]
    fused = sv.fuse_distribution(
        fits.mechanisms,
        reports,
        inner="em",
        tolerance=1.0,  # the largest epsilon
    )
    assert errors["printed"][3] == pytest.approx(sv.metrics.jensen_shannon(fused.shares, truth))
    alone = sv.estimate(reports[2], "em", tolerance=1.0)
    assert errors["printed"][2] == pytest.approx(sv.metrics.jensen_shannon(alone.shares, truth))


def test_a_try_has_few_people():
    assert sizes_of(QUICK) == Sizes()
    assert sizes_of(QUICK - 1).is_try
    assert Sizes().people * 20 * Sizes().trials >= 400 * 10_000


# -- claims ----------------------------------------------------------------------------------------

PREPARED = {
    "textbook weights", "textbook ua", "average gain", "population bias", "uwa bias",
    "uwa at a million", "coverage", "expected", "one more", "cells",
}  # fmt: skip
_MEANS, _SHARES = (*FOUR, *means.FUSED), (*THREE, "ule")
LINES = {
    **dict.fromkeys(
        ("epsilon-mse", "setting-mse", "dimensions-mse", "count-mse", "people-mse", "pooled-mse"),
        _MEANS,
    ),
    **dict.fromkeys(
        ("full-epsilon-printed", "full-setting-printed", "full-setting-own", "rules-epsilon-published",
         "rules-setting-published", "dimensions-printed", "count-printed", "people-printed"),
        _SHARES,
    ),
    **dict.fromkeys(("rules-epsilon-smoothed", "rules-setting-smoothed"), ("pm", "sw", "ule")),
    "same-mse": ("0.1", "0.2", "0.3", "0.4", *means.FUSED),
    "same-printed": ("0.1", "0.2", "0.3", "ule"), "pooled-printed": (*FOUR, "ule"),
    "group-mse": (groups.BEST, *means.FUSED), "group-printed": (groups.BEST, "ule"),
    "again-mse": asking.MEAN_LINES, "again-printed": asking.SHARE_LINES,
}  # fmt: skip


def test_the_claims_are_well_formed():
    claims = read_claims(CLAIMS)
    assert len({claim.name for claim in claims}) == len(claims) > 50
    assert {claim.table for claim in claims if claim.kind == "cells"} == PREPARED
    for claim in claims:
        assert claim.low < claim.high
        assert set(claim.datasets) <= {*figures.ALL, "steps"}
        if claim.kind != "cells":
            assert set(claim.methods) | set(claim.against) <= set(LINES[claim.measure])


@pytest.mark.parametrize(
    "claim", [c for c in read_claims(CLAIMS) if c.kind != "cells"], ids=lambda c: c.name
)
def test_every_claim_can_hold_and_can_fail(claim):
    """Curves made so that the quotient is inside the interval, and outside."""
    inside = (claim.low + claim.high) / 2 if math.isfinite(claim.high) else 2 * claim.low
    outside = claim.low / 2 if claim.low else 2 * claim.high
    for quotient, verdict in ((inside, "held"), (outside, "did not hold")):
        curves = {}
        for dataset in claim.datasets:
            xs, lines = (1.0, 2.0, 3.0, 4.0), LINES[claim.measure]
            made = np.ones((len(xs), len(lines), 4))
            for method in claim.methods:
                column = lines.index(method)
                if claim.kind == "ratio":
                    made[:, column] = quotient
                else:
                    made[:, column] = quotient ** np.arange(4)[:, None]
            curve = Curve(dataset, claim.measure, "x", xs, lines, made)
            curves[dataset, claim.measure] = curve
        (finding,) = judge([claim], curves, {})
        assert finding.verdict == verdict


def test_bias_is_read_as_a_difference():
    """Noise common to both methods cancels; a bias of UWA stays."""
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.1, (8, 1, 20))
    errors = np.repeat(noise, 7, axis=1)
    errors[:, 5] += 0.02 + random.normal(0, 1e-4, (8, 20))
    lines, xs = (*FOUR, *means.FUSED), means.ALL_EPSILONS
    curves = {
        (values.SKEWED, "bias-error"): Curve(values.SKEWED, "bias-error", "epsilon", xs, lines, errors),
        (values.SKEWED, "bias-mse"): Curve(
            values.SKEWED, "bias-mse", "epsilon", xs, lines, np.full((8, 7, 20), 0.01)
        ),
    }  # fmt: skip
    assert min(r.value for r in comparison.bias_readings(curves, "uwa", 1)) > 100
    assert max(r.value for r in comparison.bias_readings(curves, "population", 1)) < 5
    (first, *_) = comparison.million_readings(curves, 1_000)
    assert first.value == pytest.approx((0.02**2 * 1e6 + 9.6) / 10, rel=0.01)
    frame = comparison.bias_table(curves, 1_000)
    assert len(frame) == 8


# -- end to end -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A try on made-up data, in this process, by the command line."""
    folder = tmp_path_factory.mktemp("fusion")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        patch.delenv("SOTTOVOCE_DATA", raising=False)
        arguments = ["reproduce", "fusion", "--repeats", "2", "-o", str(folder), "--json"]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), folder


@pytest.mark.slow
def test_a_small_reproduction_writes_page_numbers_and_pictures(small):
    found, folder = small
    assert found["paper"] == "fusion"
    names = {path.name for path in folder.iterdir()}
    assert {"fusion.html", "fusion.json", "fusion-tables.md"} < names
    wanted = ("figure-4", "figure-4-rules", "figure-5", "figure-6", "figure-7", "figure-8", "bias")
    assert {f"fusion-{name}.png" for name in wanted} < names
    assert len(found["skipped"]) == 2
    page = (folder / "fusion.html").read_text()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "taxi: skipped, no folder with real data was given" in page
    assert "This run is a try" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    written = json.loads((folder / "fusion.json").read_text())
    assert written["repeats"] == 2
    for curve in written["curves"]:
        signed = curve["measure"].endswith("error")
        for row in curve["mean"].values():
            assert all(math.isfinite(x) and (signed or x >= 0) for x in row)


@pytest.mark.slow
def test_a_small_reproduction_has_verdicts(small):
    found, _ = small
    verdicts = {finding["claim"]: finding["verdict"] for finding in found["findings"]}
    assert len(verdicts) == len(read_claims(CLAIMS))
    assert "not tested" not in verdicts.values()
    assert (
        verdicts["asking-again-means"] == verdicts["uwa-one-to-fifteen-percent-textbook"] == "held"
    )
    readings = {finding["claim"]: finding["readings"] for finding in found["findings"]}
    assert len(readings["ule-beats-all-in-c-printed"]) == 2 * len(services.SHARE_SETTINGS)


def test_it_is_listed():
    assert papers()["fusion"].startswith("Privacy for free")

"""Wiener filters reproduced: histograms, passes, claims that can fail, and a small run from end to end."""

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
from sottovoce.base.errors import Unfit
from sottovoce.cli.app import app
from sottovoce.estimators.filters.spectrum import spectrum_of
from sottovoce.estimators.filters.wiener import dw, iiw, iiw_g
from sottovoce.estimators.unbiased import unbiased_shares
from sottovoce.experiments import papers
from sottovoce.experiments.claims import judge, read_claims
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.wiener import figures, histograms, spectra, sweep
from sottovoce.experiments.wiener.methods import (
    METHODS,
    Survey,
    after_passes,
    noise_over_signal,
    noise_powers,
)
from sottovoce.experiments.wiener.run import CLAIMS

# -- histograms ----------------------------------------------------------------------------


def test_made_up_histograms_are_always_there():
    (flat, ring, shuffled), skipped = histograms.load(["flat", "ring", "ring-shuffled"], None)
    assert skipped == []
    assert (flat.n, flat.size, set(flat.counts())) == (1_000_000, 1000, {1000})
    assert (ring.n, ring.size, len(ring.counts(300))) == (1_000_000, 1000, 300)
    assert ring.counts(500).tolist() == ring.counts(1000).reshape(500, 2).sum(axis=1).tolist()
    assert np.array_equal(shuffled.counts(), shuffled.counts())
    assert not np.array_equal(shuffled.counts(), ring.counts())
    assert sorted(shuffled.counts()) == sorted(ring.counts())
    steps = [np.abs(np.diff(h.counts())).mean() for h in (ring, shuffled)]
    assert steps[1] > 10 * steps[0]


def test_real_histograms_are_skipped_with_a_message(tmp_path):
    found, skipped = histograms.load(figures.ALL, tmp_path)
    assert [d.name for d in found] == ["flat", "ring", "ring-shuffled"]
    assert skipped[0] == f"taxi: skipped, nyc_taxi_pickups.parquet is not in {tmp_path}"
    assert set(figures.ALL) == set(histograms.names())


def test_real_histograms_have_the_published_sizes(data_folder):
    wanted = ["taxi", "taxi-many", "taxi-many-shuffled", "kosarak"]
    found, skipped = histograms.load(wanted, data_folder)
    assert skipped == []
    sizes = {d.name: (d.n, d.size) for d in found}
    assert sizes["taxi"] == (239_992, 1000)
    assert sizes["taxi-many"] == sizes["taxi-many-shuffled"] == (histograms.MANY, 1000)
    assert sizes["kosarak"] == (294_009, 17_034)
    once, many = (d.counts(100) / d.n for d in found[:2])
    assert np.abs(once - many).max() < 0.1 * once.max()  # the smoothed times are those times


# -- methods ------------------------------------------------------------------------------------


def raw_of(name, epsilon=4.0, size=60):
    mechanism = sv.mechanism(name, sv.Categories(size), epsilon)
    angle = 2 * np.pi * np.arange(size) / size
    counts = (2000 * (1.5 + np.sin(angle))).astype(int)
    return unbiased_shares(mechanism.simulate(counts, source=sv.Seeded(3))), counts


@pytest.mark.parametrize("name", ["grr", "oue"])
def test_passes_are_the_librarys(name):
    raw, _ = raw_of(name)
    none, some, many = after_passes(raw, [0, 7, 30])
    np.testing.assert_allclose(none, dw(raw), atol=1e-12)
    np.testing.assert_allclose(some, iiw(raw, passes=7), atol=1e-12)
    np.testing.assert_allclose(many, iiw(raw), atol=1e-12)


def test_passes_from_reports_are_iiw_g_and_go_where_it_is_refused():
    raw, _ = raw_of("grr")
    (found,) = after_passes(raw, [10], from_reports=True)
    np.testing.assert_allclose(found, iiw_g(raw), atol=1e-12)
    noisy, counts = raw_of("grr", 0.3)
    mechanism = sv.mechanism("grr", sv.Categories(60), 0.3)
    assert noise_over_signal(mechanism, 60, int(counts.sum())) > 1
    with pytest.raises(Unfit, match="iiw-g needs"):
        iiw_g(noisy)
    (stuck,) = after_passes(noisy, [10], from_reports=True)
    assert np.isfinite(stuck).all()


def test_the_power_of_noise_is_measured_about_the_truth():
    raw, counts = raw_of("oue")
    truth = counts / counts.sum()
    spectrum = spectrum_of(raw)
    assert np.allclose(noise_powers(spectrum, raw.shares), 0, atol=1e-12)
    by_hand = np.abs(np.fft.rfft(raw.shares - truth) * spectrum.kernel) ** 2 / spectrum.noise
    np.testing.assert_allclose(noise_powers(spectrum, truth), by_hand, rtol=1e-9)


def test_a_drawing_measures_all_methods():
    (ring,), _ = histograms.load(["ring"], None)
    survey = Survey(ring, 4.0, 50, (5, 50), (0.0, 0.02, 2.0))
    errors = survey.draw(sv.Seeded(1))
    assert errors["mse"].shape == (len(METHODS),)
    assert errors["top"].shape == (2, len(METHODS))
    np.testing.assert_allclose(errors["top"][1], errors["mse"], rtol=1e-9)  # the top 50 are all
    assert errors["true"].shape == errors["false"].shape == (3, len(METHODS))
    assert errors["false"][0].max() == 0  # nothing is truly below 0
    assert errors["true"][2].max() == errors["false"][2].max() == 0
    flat = METHODS.index("flat")
    assert np.isclose(errors["mse"][flat], np.mean((survey.truth - 1 / 50) ** 2))


# -- claims ---------------------------------------------------------------------------------------

PREPARED = {
    "noise", "noise at 0", "stuck", "trusted flat", "trusted krr-iiw", "trusted oue-iiw",
    "residual dw", "residual iiw", "residual iiw-limit",
}  # fmt: skip
LINES = {
    **dict.fromkeys(("mse", "sizes", "top", "true", "false"), METHODS),
    **{f"passes-{e:g}": ("krr-iiw", "oue-iiw", "krr-iiw-g") for e in spectra.PASS_EPSILONS},
}
PLACES = {
    "mse": sweep.EPSILONS, "sizes": sweep.SIZES, "top": sweep.TOPS,
    **dict.fromkeys(("true", "false"), (500, 1000, 1500, 2000)),
    **{f"passes-{e:g}": spectra.PASSES for e in spectra.PASS_EPSILONS},
}  # fmt: skip


def test_the_claims_are_well_formed():
    claims = read_claims(CLAIMS)
    assert len({claim.name for claim in claims}) == len(claims) > 30
    assert {claim.table for claim in claims if claim.kind == "cells"} == PREPARED
    for claim in claims:
        assert claim.low < claim.high
        assert set(claim.datasets) <= set(figures.ALL)
        if claim.kind != "cells":
            assert set(claim.methods) | set(claim.against) <= set(LINES[claim.measure])
            assert set(claim.at) <= set(PLACES[claim.measure])


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
            xs = tuple(map(float, PLACES[claim.measure]))
            methods = LINES[claim.measure]
            values = np.ones((len(xs), len(methods), 4))
            for method in claim.methods:
                column = methods.index(method)
                if claim.kind == "ratio":
                    values[:, column] = quotient
                else:
                    place = claim.to if claim.kind == "growth" else claim.start
                    values[xs.index(place), column] = quotient
            curve = Curve(dataset, claim.measure, "x", xs, methods, values)
            curves[dataset, claim.measure] = curve
        (finding,) = judge([claim], curves, {})
        assert finding.verdict == verdict


# -- end to end -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A run of few values on made-up data, in this process, by the command line."""
    folder = tmp_path_factory.mktemp("wiener")

    def load(wanted, data):
        found, skipped = histograms.load(wanted, data)
        return [replace(d, fine=d.fine[:200]) if d.name == "flat" else d for d in found], skipped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        patch.setattr(import_module("sottovoce.experiments.wiener.run"), "load", load)
        patch.setattr(histograms, "PLAIN_SIZE", 200)
        patch.delenv("SOTTOVOCE_DATA", raising=False)
        arguments = ["reproduce", "wiener", "--repeats", "3", "-o", str(folder), "--json"]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout), folder


@pytest.mark.slow
def test_a_small_reproduction_writes_page_numbers_and_pictures(small):
    found, folder = small
    assert found["paper"] == "wiener"
    names = {path.name for path in folder.iterdir()}
    assert {"wiener.html", "wiener.json", "wiener-tables.md"} < names
    assert {f"wiener-figure-{k}.png" for k in (3, 4, 5, 6, 7, 8, 10)} < names
    assert len(found["skipped"]) == 5
    page = (folder / "wiener.html").read_text()
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert page.count("<svg") == 2 + 2 + 4 + 4 + 4 + 4 + 4
    assert "taxi: skipped, no folder with real data was given" in page
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    written = json.loads((folder / "wiener.json").read_text())
    assert written["repeats"] == 3
    assert {curve["dataset"] for curve in written["curves"]} == {"flat", "ring", "ring-shuffled"}
    for curve in written["curves"]:
        assert all(math.isfinite(x) and x >= 0 for row in curve["mean"].values() for x in row)


@pytest.mark.slow
def test_a_small_reproduction_has_verdicts(small):
    found, _ = small
    verdicts = {finding["claim"]: finding["verdict"] for finding in found["findings"]}
    assert (
        verdicts["noise-at-0"]
        == verdicts["iiw-improves-dw"]
        == verdicts["gf3-before-iiw"]
        == "held"
    )
    assert verdicts["dw-on-taxi"] == "not tested"
    readings = {finding["claim"]: finding["readings"] for finding in found["findings"]}
    assert len(readings["residual-dw"]) == 2 * len(sweep.EPSILONS)


def test_it_is_listed():
    assert papers()["wiener"].startswith("Locally differentially private frequency estimation")

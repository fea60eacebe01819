"""Reports that all say the same: ``adaptive`` has an answer for every draw."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.estimators.smooth import posterior, reach


@pytest.mark.parametrize(("epsilon", "value", "seeds"), [(0.5, 5, 12), (2.0, 20, 6), (4.0, 0, 6)])
def test_everybody_alike_through_noise(epsilon, value, seeds):
    """Seed 4 at epsilon 0.5 had an atom of which the reports say nothing: a singular system."""
    mechanism = sv.mechanism("degree-noise", sv.Counts(50), epsilon)
    people = np.bincount([value], minlength=mechanism.domain.size) * 2000
    for seed in range(seeds):
        estimate = sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)), "adaptive")
        assert np.isfinite(estimate.shares).all() and np.isfinite(estimate.stderr).all()
        assert estimate.mean().value == pytest.approx(value, abs=1.5)


# -- fits with nearly everybody in one cell --------------------------------------------------------


def test_errors_do_not_vanish_where_all_are_in_one_bin(monkeypatch):
    """91% at one end, few reports: by slopes alone the interval of the mean missed it, 0.055, at 0.042."""
    counts = np.full(64, 3)
    counts[0] = 2000 - counts[1:].sum()
    m = sv.mechanism("sw", sv.Interval(0, 1, bins=64), 0.5)
    e = sv.estimate(m.simulate(counts, source=sv.Seeded(47)))
    truth = float(counts @ m.domain.midpoints) / 2000
    assert e.shares.max() > 0.99
    found = e.mean()
    assert found.low <= truth <= found.high
    monkeypatch.setattr(posterior, "variance_beyond_slopes", lambda *given: 0.0)
    assert e.mean().high < truth and e.mean().stderr < 0.6 * found.stderr


def test_slopes_are_enough_where_people_are_spread():
    m = sv.mechanism("sw", sv.Interval(0, 1, bins=32), 2.0)
    counts = np.round(2000 * np.exp(-0.5 * ((np.arange(32) - 12) / 5) ** 2)).astype(int)
    model = sv.estimate(m.simulate(counts, source=sv.Seeded(2))).error_model
    fits = model.search.probabilities()
    assert reach.variance_beyond_slopes(model.search.problem, fits, m.domain.midpoints) == 0.0

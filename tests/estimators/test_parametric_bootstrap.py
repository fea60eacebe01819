"""Error bars of likelihood estimates, by repeating the survey."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.estimators.errors.parametric_bootstrap import ParametricBootstrap

COUNTS = np.rint(20_000 * np.sin(np.linspace(0.1, 3.0, 24)) ** 2 / 12).astype(np.int64)


@pytest.mark.parametrize("method", ["em", "ems"])
def test_errors_of_a_wave_are_of_the_right_size(method: str) -> None:
    """Reported errors of the mean and of a range against those of repeated surveys."""
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=24), 1.0, output_bins=24)
    found = [
        sv.estimate(mechanism.simulate(COUNTS, source=sv.Seeded(seed)), method)
        for seed in range(60)
    ]
    truth = COUNTS / COUNTS.sum()
    middles = (np.arange(24) + 0.5) / 24
    part = np.repeat([0.0, 1.0, 0.0], 8)
    for weights in (middles, part):
        real = np.sqrt(np.mean([(e.shares @ weights - truth @ weights) ** 2 for e in found]))
        told = np.mean([e.linear(weights).stderr for e in found[:4]])
        assert 0.6 * real < told < 1.7 * real


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("sw", sv.Interval(0, 1, bins=24)),
        ("grr", sv.Categories(24)),
        pytest.param("hr", sv.Categories(24), marks=pytest.mark.slow),
    ],
)
def test_the_same_tally_has_the_same_errors(name: str, domain: sv.Interval | sv.Categories) -> None:
    """Whether truths come from adaptive or from unbiased shares."""
    mechanism = sv.mechanism(name, domain, 1.0)
    tally = mechanism.simulate(COUNTS, source=sv.Seeded(1))
    first, second = (sv.estimate(tally, "em") for _ in range(2))
    assert isinstance(first.error_model, ParametricBootstrap)
    assert np.array_equal(first.stderr, second.stderr)
    assert np.all(np.isfinite(first.stderr)) and np.all(first.stderr > 0)
    assert np.allclose(first.error_model.errors.sum(axis=1), 0.0, atol=1e-9)
    assert np.all(first.for_population().stderr >= first.stderr)

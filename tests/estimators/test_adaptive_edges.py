"""Reports that all say the same: ``adaptive`` has an answer for every draw."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv


@pytest.mark.parametrize(("epsilon", "value", "seeds"), [(0.5, 5, 12), (2.0, 20, 6), (4.0, 0, 6)])
def test_everybody_alike_through_noise(epsilon, value, seeds):
    """Seed 4 at epsilon 0.5 had an atom of which the reports say nothing: a singular system."""
    mechanism = sv.mechanism("degree-noise", sv.Counts(50), epsilon)
    people = np.bincount([value], minlength=mechanism.domain.size) * 2000
    for seed in range(seeds):
        estimate = sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)), "adaptive")
        assert np.isfinite(estimate.shares).all() and np.isfinite(estimate.stderr).all()
        assert estimate.mean().value == pytest.approx(value, abs=1.5)

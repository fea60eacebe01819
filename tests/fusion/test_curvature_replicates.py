"""Errors from the curvature are those of people who really answer again."""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.fusion.curvature_replicates import CurvatureReplicates

LINE = sv.Interval(0, 1, bins=6)
SERVICES = [sv.mechanism("sw", LINE, 2.0), sv.mechanism("grr", LINE, 1.0)]
COUNTS = np.array([0, 1500, 4500, 3000, 900, 100])
TRUTH = COUNTS / COUNTS.sum()
ROUNDS, REPLICATES = 200, 1000


def answered(seed):
    held = np.repeat(np.arange(6), COUNTS)
    reports = [m.randomize_indices(held, sv.Seeded(2 * seed + j)) for j, m in enumerate(SERVICES)]
    return sv.fuse(SERVICES, reports)


def root_mean_square(model):
    source = sv.Seeded(9)
    errors = [model.again(COUNTS, source) - TRUTH for _ in range(REPLICATES)]
    return np.sqrt(np.mean(np.square(errors), axis=0))


def test_errors_are_those_of_answering_again():
    """A root mean square of 200 surveys is off by 5% by chance, one of 1,000 replicates by 2%."""
    fits = np.array([answered(i).distribution(inner="mle").shares for i in range(ROUNDS)])
    wanted = np.sqrt(np.mean((fits - TRUTH) ** 2, axis=0))
    n, curvature = int(COUNTS.sum()), answered(0).observations.joint.curvature(TRUTH)
    ratio = root_mean_square(CurvatureReplicates(TRUTH, curvature, n)) / wanted
    assert np.abs(ratio - 1).max() < 0.3
    fewer = root_mean_square(CurvatureReplicates(TRUTH, curvature / 4, n // 4)) / wanted
    assert np.abs(fewer - 1).min() > 0.3


def test_replicates_are_distributions_near_the_truth():
    fused = answered(0)
    fit = fused.distribution(inner="mle").shares
    model = CurvatureReplicates(fit, fused.observations.joint.curvature(fit), fused.n)
    shares = model.errors + fit
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-9
    assert shares.min() > -1 / fused.n

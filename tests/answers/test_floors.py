"""The least error an unbiased answer can have: against the matrix, and where there is next to no data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.floors import FlooredErrors, LeastErrors

VALUES = sv.Categories(5)
HOURS = sv.Interval(0, 10, bins=8)


@pytest.mark.parametrize("name", ["grr", "olh", "hr", "oue"])
def test_the_least_variance_is_that_of_the_least_noisy_input(name):
    """Var(g | v) by brute force over inputs; for unary encoding over all of its reports."""
    channel = sv.mechanism(name, VALUES, 1.0).channel()
    weights = np.array([1.0, -2.0, 0.0, 0.5, 3.0])
    cells = channel.inverse.adjoint(weights)
    dense = channel.dense()
    if name == "oue":  # independent bits: a block of two cells for each value
        blocks = (dense * cells[:, None]).reshape(5, 2, 5).sum(axis=1)
        squares = (dense * cells[:, None] ** 2).reshape(5, 2, 5).sum(axis=1)
        each = (squares - blocks**2).sum(axis=0)
    else:
        each = cells**2 @ dense - (cells @ dense) ** 2
    assert channel.least_variance_of(weights) == pytest.approx(each.min())
    for truth in np.eye(5):
        given = channel.variance_of(weights, channel.forward(truth), truth)
        assert given >= channel.least_variance_of(weights) - 1e-9


def test_errors_are_never_below_the_least():
    mechanism = sv.mechanism("oue", VALUES, 4.0)
    cells = np.tile([0, 20], 5)
    errors = sv.estimate(sv.Tally(mechanism, 20, cells), "unbiased").error_model
    floor, least = FlooredErrors(errors), LeastErrors(errors)
    for about in ("respondents", "population"):
        assert np.all(floor.stderr(about) == np.maximum(errors.stderr(about), least.stderr(about)))
        one = np.eye(5)[2]
        assert floor.stderr_of(one, about) == pytest.approx(floor.stderr(about)[2])
    assert np.all(least.stderr("respondents") > errors.stderr("respondents"))


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 10.0])
@pytest.mark.parametrize("people", [1, 3])
def test_next_to_no_reports_have_finite_answers(epsilon, people):
    counts, lone = np.zeros(5, dtype=int), np.zeros(8, dtype=int)
    counts[0] = lone[3] = people
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("oue", "grr", "olh", "hr", "ss"):
            mechanism = sv.mechanism(name, VALUES, epsilon)
            sides = [sv.estimate(mechanism.simulate(counts, source=sv.Seeded(s))) for s in (1, 2)]
            for change in (sv.difference(*sides), sv.difference(*sides).anytime()):
                rows = change.frame()
                assert all(np.isfinite(rows[key]).all() for key in ("low", "high", "p_value"))
                assert np.isfinite(change.total([0, 1]).low)
            assert np.isfinite(sides[0].anytime().share(0).low)
        for name in ("sr", "pm", "sw", "hierarchy", "haar", "laplace"):
            mechanism = sv.mechanism(name, HOURS, epsilon)
            sides = [
                sv.estimate(mechanism.simulate(lone, source=sv.Seeded(s)), "unbiased")
                for s in (1, 2)
            ]
            for answer in (
                sv.difference(*sides).mean(),
                sv.difference(*sides).anytime().mean(),
                sides[0].anytime().mean(),
            ):
                assert np.isfinite([answer.low, answer.high, answer.stderr]).all()

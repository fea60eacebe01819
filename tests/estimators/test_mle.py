"""The exact maximum of likelihood: three ways to it, each against others and its conditions."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.progress import Meter
from sottovoce.estimators.likelihood import interior_point as newton
from sottovoce.estimators.likelihood import mle as ways
from sottovoce.estimators.likelihood.acceleration import accelerated
from sottovoce.estimators.likelihood.em import em
from sottovoce.estimators.likelihood.interior_point import (
    DenseLikelihood,
    interior_point,
    inverse_factor,
)
from sottovoce.estimators.likelihood.mle import mle, response_mle
from sottovoce.estimators.observed import Observed
from sottovoce.kernels.products import gram, product

QUIET = Meter(None, "test", "steps", "gap", 1)


def zipf_counts(size, people, seed=1):
    shares = 1 / np.arange(1, size + 1) ** 1.5
    return np.random.default_rng(seed).multinomial(people, shares / shares.sum())


def survey(name, size, epsilon=1.0, people=20_000, seed=1):
    ordered = name in ("sw", "pm")
    domain = sv.Interval(0, 1, bins=size) if ordered else sv.Categories(size)
    counts = zipf_counts(size, people, seed)
    return Observed(
        sv.mechanism(name, domain, epsilon).simulate(counts, source=sv.Seeded(seed + 50))
    )


def check_optimal(observed, fit, gap=0.01):
    """The conditions of a maximum: no ratio above 1, and 1 wherever there is weight."""
    ratio, likelihood = observed.em_step(fit.shares)
    assert fit.converged
    assert fit.optimality <= gap
    assert np.isclose(fit.shares.sum(), 1, atol=1e-12)
    assert fit.shares.min() >= 0
    assert observed.total * (ratio.max() - 1) <= gap + 1e-8
    assert observed.total * float(fit.shares @ (ratio.max() - ratio)) <= 2 * gap
    return likelihood


SURVEYS = [
    ("grr", 30), ("olh", 40), ("hr", 30), ("flh", 20), ("oue", 15), ("ss", 15), ("sw", 48), ("pm", 40),
]  # fmt: skip


@pytest.mark.parametrize(("name", "size"), SURVEYS)
def test_conditions_of_the_maximum(name, size):
    observed = survey(name, size)
    fit = mle(observed)
    likelihood = check_optimal(observed, fit)
    assert np.isclose(fit.history[-1], likelihood, rtol=1e-9)
    rough = em(observed)
    assert likelihood >= rough.history[-1] - 0.01
    assert likelihood - rough.history[-1] <= rough.optimality + 1e-6


@pytest.mark.parametrize(("name", "size"), [("grr", 6), ("olh", 7), ("sw", 6), ("oue", 5)])
def test_against_a_general_solver(name, size):
    optimize = pytest.importorskip("scipy.optimize")
    observed = survey(name, size, people=4000)
    matrix, cells = observed.channel.dense(), observed.cells
    seen = cells > 0
    scale = cells.sum()

    def loss(shares):
        return -(cells[seen] @ np.log(matrix[seen] @ shares)) / scale

    def slope(shares):
        return -(matrix[seen].T @ (cells[seen] / (matrix[seen] @ shares))) / scale

    found = optimize.minimize(
        loss, np.full(size, 1 / size), jac=slope, method="SLSQP", bounds=[(0, 1)] * size,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(size)},
        options={"ftol": 1e-15, "maxiter": 1000},
    )  # fmt: skip
    fit = mle(observed, gap=1e-6)
    np.testing.assert_allclose(fit.shares, found.x, atol=2e-4)
    assert -loss(fit.shares) * scale >= -found.fun * scale - 1e-6


def test_against_a_long_plain_climb():
    observed = survey("olh", 12, people=5000)
    fit, long = mle(observed, gap=1e-7), em(observed, tolerance=0, max_iterations=10_000)
    np.testing.assert_allclose(fit.shares, long.shares, atol=1e-4)
    assert 0 <= fit.history[-1] - long.history[-1] + 1e-6 <= long.optimality + 2e-6


@pytest.mark.parametrize(("name", "size"), SURVEYS)
def test_accelerated_passes_reach_the_same_maximum(name, size):
    observed = survey(name, size)
    uniform = np.full(size, 1 / size)
    best = accelerated(observed.em_step, observed.total, uniform, gap=0.01)
    assert best.gap <= 0.01
    assert np.diff(best.history).min() >= -1e-9 * abs(best.history[0])
    fit = mle(observed)
    assert abs(best.history[-1] - fit.history[-1]) <= 0.02


def test_accelerated_passes_are_honest_when_cut_short():
    observed = survey("sw", 48)
    uniform = np.full(48, 1 / 48)
    best = accelerated(observed.em_step, observed.total, uniform, gap=0.01, most=9)
    truth = mle(observed)
    assert best.gap > 0.01
    assert truth.history[-1] - max(best.history) <= best.gap + 0.01


def test_many_values_go_the_accelerated_way(monkeypatch):
    monkeypatch.setattr(ways, "LARGEST_NEWTON", 20)
    monkeypatch.setattr(ways, "_SHORT_RUN", 5)
    observed = survey("olh", 40)
    fit = mle(observed)
    assert "; accelerated EM, within" in fit.why
    check_optimal(observed, fit)


def test_a_short_run_that_does_not_get_there_is_finished_by_newton(monkeypatch):
    monkeypatch.setattr(ways, "_SHORT_RUN", 5)
    observed = survey("sw", 48)
    fit = mle(observed)
    assert "accelerated EM, then interior point, within" in fit.why
    check_optimal(observed, fit)


def test_a_newton_that_stops_short_is_finished_by_passes(monkeypatch):
    monkeypatch.setattr(ways, "_SHORT_RUN", 5)
    monkeypatch.setattr(newton, "MOST_STEPS", 3)
    observed = survey("sw", 48)
    fit = mle(observed)
    assert "accelerated EM, then interior point, then accelerated EM, within" in fit.why
    check_optimal(observed, fit)


def test_an_answer_short_of_the_gap_says_so(monkeypatch):
    monkeypatch.setattr(ways, "LARGEST_NEWTON", 20)
    monkeypatch.setattr(ways, "MOST_PASSES", 7)
    fit = mle(survey("sw", 48))
    assert not fit.converged
    assert fit.optimality > 0.01


@pytest.mark.parametrize(("name", "size"), SURVEYS)
def test_newton_reaches_the_same_maximum(name, size):
    observed = survey(name, size)
    problem = DenseLikelihood(observed.channel.dense(), observed.cells)
    best = interior_point(problem, np.full(size, 1 / size), 0.01, QUIET)
    assert best.gap <= 0.01
    assert len(best.history) < 25
    assert abs(best.history[-1] - mle(observed).history[-1]) <= 0.02


# -- randomized response ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_formula_of_randomized_response(seed):
    observed = survey("grr", 25, epsilon=0.5 + seed, people=3000, seed=seed)
    fit = mle(observed)
    assert "closed form" in fit.why
    assert fit.iterations == 0
    assert fit.optimality < 1e-8
    check_optimal(observed, fit, 1e-8)
    dense = DenseLikelihood(observed.channel.dense(), observed.cells)
    other = interior_point(dense, np.full(25, 1 / 25), 1e-7, QUIET)
    np.testing.assert_allclose(fit.shares, other.shares, atol=1e-5)


def test_the_formula_at_its_edges():
    np.testing.assert_allclose(response_mle(np.array([0.0, 7.0, 0.0]), 0.5), [0, 1, 0])
    np.testing.assert_allclose(response_mle(np.array([5.0, 5.0]), 3.0), [0.5, 0.5])
    np.testing.assert_allclose(response_mle(np.array([3.0]), 0.0), [1.0])
    np.testing.assert_allclose(response_mle(np.array([4.0, 4.0, 1.0]), 1.0), [0.5, 0.5, 0.0])


# -- pieces -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 5, 64, 65, 200])
def test_inverse_factor(size):
    half = np.random.default_rng(size).normal(size=(size, size))
    matrix = half @ half.T + np.eye(size)
    factor = inverse_factor(matrix)
    np.testing.assert_allclose(factor.T @ factor @ matrix, np.eye(size), atol=1e-9)
    assert np.all(np.triu(factor, 1) == 0)


@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (64, 64, 64), (65, 130, 3), (200, 17, 129), (3, 20_000, 70)]
)
def test_products_in_tiles(shape):
    rng = np.random.default_rng(1)
    left, right = rng.normal(size=shape[:2]), rng.normal(size=shape[1:])
    np.testing.assert_allclose(product(left, right), left @ right, atol=1e-10)
    np.testing.assert_allclose(product(right.T, left.T), (left @ right).T, atol=1e-10)
    np.testing.assert_allclose(gram(left), left @ left.T, atol=1e-10)
    np.testing.assert_allclose(gram(left.T[:150]), left.T[:150] @ left[:, :150], atol=1e-10)


def test_warm_start_progress_and_a_smaller_gap():
    observed = survey("olh", 40)
    told = []
    fit = mle(observed, progress=lambda text, part: told.append((text, part)))
    assert told[-1] == (f"mle: {fit.iterations} steps, gap {fit.optimality:.6g}", 1.0)
    again = mle(observed, start=fit.shares)
    np.testing.assert_allclose(again.shares, fit.shares, atol=1e-3)
    check_optimal(observed, mle(observed, gap=1e-6), 1e-6)


def test_renaming_values_renames_shares():
    observed = survey("olh", 20)
    matrix, order = observed.channel.dense(), np.random.default_rng(2).permutation(20)
    uniform = np.full(20, 1 / 20)
    one = interior_point(DenseLikelihood(matrix, observed.cells), uniform, 1e-6, QUIET)
    other = interior_point(DenseLikelihood(matrix[:, order], observed.cells), uniform, 1e-6, QUIET)
    np.testing.assert_allclose(other.shares, one.shares[order], atol=1e-6)


@pytest.mark.parametrize("gap", [0, -1.0, np.nan, "small"])
def test_a_bad_gap(gap):
    with pytest.raises(InvalidInput, match="gap of mle must be a number above 0"):
        sv.estimate(survey("grr", 3).tally, "mle", gap=gap)


@pytest.mark.parametrize("name", ["oue", "sue", "ss", "olh-seeded"])
def test_whole_reports_at_size(name):
    """Rows enough that the curvature comes from part of them, and values not a multiple of 8."""
    size = 61
    counts = zipf_counts(size, 40_000)
    mechanism = sv.mechanism(name, sv.Categories(size), 1.0)
    values = np.repeat(np.arange(size), counts)
    observed = Observed.of(mechanism.randomize_indices(values, sv.Seeded(3)))
    fit = mle(observed)
    assert "interior point, within" in fit.why
    check_optimal(observed, fit)
    assert fit.iterations <= 30

"""Empirical Bayes and the bootstrap: each piece by brute force, the whole by repeated surveys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import sottovoce as sv
from sottovoce.estimators.catalogue import METHODS
from sottovoce.estimators.consistency.empirical_bayes import (
    MIXTURE_NEEDS,
    empirical_bayes,
    fitted_posterior,
    project_by_variance,
)
from sottovoce.estimators.consistency.prior import (
    SMALL,
    _tables,
    _with_mean_zero,
    fit_prior,
    posterior_of,
)
from sottovoce.estimators.errors.bootstrap import Bootstrap, _normal, plausible_truths
from sottovoce.estimators.unbiased import UnbiasedShares

STEPS = {m.name: m for m in METHODS if m.step is not None and not m.completed_by}
"""Those on shares; filters have tests of their own."""


def populations():
    rng = np.random.default_rng(1)
    zipf = 1.0 / np.arange(1, 601) ** 1.3
    return {
        "zipf": rng.multinomial(300_000, zipf / zipf.sum()),
        "half empty": rng.multinomial(80_000, np.repeat([1 / 200, 0.0], 200)),
        "bump": rng.multinomial(100_000, bump() / bump().sum()),
    }


def bump():
    return np.exp(-0.5 * ((np.arange(500) - 200) / 40) ** 2) + 1e-3


def surveys(counts, epsilon, repeats, name="oue", seed=2):
    mechanism, source = sv.mechanism(name, sv.Categories(len(counts)), epsilon), sv.Seeded(seed)
    for _ in range(repeats):
        tally = mechanism.simulate(counts, source=source)
        yield UnbiasedShares(sv.estimate(tally, "unbiased").shares, tally.n, mechanism.channel())


# -- pieces --------------------------------------------------------------------------


@given(
    st.lists(st.floats(0.01, 1), min_size=3, max_size=12),
    st.lists(st.floats(-2, 2), min_size=12, max_size=12),
)
def test_the_constrained_step_has_the_mean(weights, offsets):
    w = np.array(weights) / np.sum(weights)
    a = np.array(offsets[: len(w)])
    tilted = _with_mean_zero(w, a)
    assert np.isclose(tilted.sum(), 1.0)
    assert tilted.min() >= 0
    if a.min() < -1e-3 and a.max() > 1e-3:
        assert abs(tilted @ a) < 1e-6 * np.abs(a).max()


def test_the_constrained_step_is_the_maximum():
    """It maximises sum e_k log w_k under both constraints: a solver finds nothing better."""
    e, a = np.array([0.2, 0.5, 0.3]), np.array([-1.0, 0.3, 0.8])
    ours = _with_mean_zero(e, a)
    found = optimize.minimize(
        lambda w: -e @ np.log(w), ours * 0 + 1 / 3, bounds=[(1e-6, 1)] * 3,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1}, {"type": "eq", "fun": lambda w: w @ a},
        ],
        options={"ftol": 1e-14},
    )  # fmt: skip
    np.testing.assert_allclose(ours, found.x, atol=1e-4)


def test_the_fitted_prior_has_the_known_mean():
    rng = np.random.default_rng(3)
    true = rng.exponential(0.7, 5000)
    observed = true + rng.normal(size=5000)
    masses = fit_prior(observed[observed < SMALL], 0.7)
    assert masses.sum() == pytest.approx(1.0)
    assert masses @ _tables().grid == pytest.approx(0.7, rel=1e-6)
    spread = masses @ _tables().grid ** 2 - 0.49
    assert spread == pytest.approx(0.49, rel=0.35)  # the variance of that exponential


def test_the_posterior_is_that_of_a_sum_over_the_grid():
    rng = np.random.default_rng(4)
    grid = _tables().grid
    masses = rng.dirichlet(np.ones(len(grid)))
    observed = rng.uniform(-4, 7.9, 50)
    found = posterior_of(observed, masses)
    for u, mean, variance in zip(observed, found.mean, found.variance, strict=True):
        w = masses * np.exp(-((u - grid) ** 2) / 2)
        w /= w.sum()
        assert mean == pytest.approx(w @ grid, abs=2e-3)
        assert variance == pytest.approx(w @ grid**2 - (w @ grid) ** 2, abs=5e-3)


@given(st.lists(st.tuples(st.floats(-0.2, 0.6), st.floats(1e-4, 1)), min_size=2, max_size=20))
def test_projection_by_variance_is_weighted_least_squares(pairs):
    """Against bisection on the multiplier of the KKT conditions."""
    shares, variances = np.array(pairs).T
    delta = optimize.brentq(
        lambda t: np.maximum(shares + t * variances, 0).sum() - 1, -1e5, 1e5, xtol=1e-14, rtol=1e-14
    )
    expected = np.maximum(shares + delta * variances, 0)
    np.testing.assert_allclose(project_by_variance(shares, variances), expected, atol=1e-7)


def test_few_values_are_projected():
    counts = np.full(MIXTURE_NEEDS - 1, 50)
    for raw in surveys(counts, 1.0, 1):
        np.testing.assert_array_equal(empirical_bayes(raw), STEPS["norm-sub"].apply(raw, {}))


def test_the_posterior_is_calibrated():
    """Errors over their posterior deviation have mean square about 1 (40 surveys of 600 values)."""
    counts = populations()["zipf"]
    squares = []
    for raw in surveys(counts, 1.0, 40):
        mean, variance = fitted_posterior(raw)
        squares.append(((mean - counts / counts.sum()) ** 2).sum() / variance.sum())
    assert 0.8 < np.mean(squares) < 1.25


# -- the whole -----------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("name", ["zipf", "half empty", "bump"])
def test_never_far_above_the_best_and_often_below(name, epsilon):
    """Squared error against the best of all other methods, which needs the truth to be known."""
    counts = populations()[name]
    truth, errors = counts / counts.sum(), {}
    for raw in surveys(counts, epsilon, 12):
        for method, step in STEPS.items():
            errors.setdefault(method, []).append(((step.apply(raw, {}) - truth) ** 2).mean())
    means = {method: np.mean(e) for method, e in errors.items()}
    ours = means.pop("empirical-bayes")
    assert ours < 1.08 * min(means.values())
    assert ours < 0.8 * means["norm-sub"] or name == "bump"


@pytest.mark.parametrize("oracle", ["grr", "olh", "hr"])
def test_other_oracles(oracle):
    counts = populations()["zipf"]
    truth, ours, norm_sub = counts / counts.sum(), [], []
    for raw in surveys(counts, 2.0, 8, oracle):
        ours.append(((empirical_bayes(raw) - truth) ** 2).mean())
        norm_sub.append(((STEPS["norm-sub"].apply(raw, {}) - truth) ** 2).mean())
    assert np.mean(ours) < 0.9 * np.mean(norm_sub)


# -- error bars ------------------------------------------------------------------------


def test_plausible_truths_are_distributions_around_the_estimate():
    (raw,) = surveys(populations()["zipf"], 1.0, 1)
    truths = np.array(plausible_truths(raw, 50, sv.Seeded(1)))
    np.testing.assert_allclose(truths.sum(axis=1), 1.0)
    assert truths.min() >= 0
    assert np.corrcoef(truths.mean(axis=0), empirical_bayes(raw))[0, 1] > 0.99


def test_bootstrap_errors_are_those_of_the_method():
    """For the unbiased shares themselves the bootstrap must give the formula's errors."""
    counts = np.repeat([300, 50, 0], [20, 30, 50])
    mechanism = sv.mechanism("oue", sv.Categories(100), 1.0)
    tally = mechanism.simulate(counts, source=sv.Seeded(1))
    plain = sv.estimate(tally, "unbiased")
    raw = UnbiasedShares(plain.shares, tally.n, mechanism.channel())
    again = Bootstrap(tally, raw, lambda again: again.shares, replicates=1000)
    ratio = (again.stderr("respondents") ** 2).mean() / (plain.stderr**2).mean()
    assert abs(ratio - 1) < 0.03  # 100,000 squares: a standard deviation of 0.0045
    z = np.arange(100) < 50.0
    formula = plain.linear(z.astype(float)).stderr
    assert again.stderr_of(z.astype(float), "respondents") == pytest.approx(formula, rel=0.13)


@pytest.mark.parametrize(
    "method", ["norm-sub", "norm-hyb", pytest.param("empirical-bayes", marks=pytest.mark.slow)]
)
def test_coverage_of_bootstrap_intervals(method):
    """95% intervals of shares and of totals of tenths, over 12 surveys of 600 values."""
    counts = populations()["zipf"]
    truth, shares, totals = counts / counts.sum(), [], []
    mechanism, source = sv.mechanism("oue", sv.Categories(600), 1.0), sv.Seeded(5)
    rng = np.random.default_rng(6)
    for _ in range(12):
        e = sv.estimate(mechanism.simulate(counts, source=source), method)
        shares.append(np.abs(e.shares - truth) <= 1.959964 * e.stderr)
        for _ in range(8):
            mask = (rng.permutation(600) < 60).astype(float)
            answer = e.linear(mask)
            totals.append(answer.low <= truth @ mask <= answer.high)
    assert 0.93 < np.mean(shares) < 0.975
    assert 0.88 < np.mean(totals) <= 1.0


@pytest.mark.parametrize("name", ["olh", "ss", "table"])
def test_the_normal_law_has_the_errors_of_the_exact_one(name):
    """Where drawing reports would be slow: shares and totals err as formulas say."""
    size, n = 20, 40_000
    table = {"weights": np.full((size, size), 10) + 30 * np.eye(size, dtype=int)}
    options = table if name == "table" else {"epsilon": 1.0}
    mechanism = sv.mechanism(name, sv.Categories(size), **options)
    tally = mechanism.simulate(np.full(size, n // size), source=sv.Seeded(1))
    plain = sv.estimate(tally, "unbiased")
    raw = UnbiasedShares(plain.shares, tally.n, mechanism.channel())
    truth, source = np.full(size, 1 / size), sv.Seeded(2)
    drawn = np.array([_normal(raw, truth, source) for _ in range(4000)]) - truth
    np.testing.assert_allclose(drawn.var(axis=0).mean(), (plain.stderr**2).mean(), rtol=0.05)
    whole = plain.linear(np.ones(size)).stderr
    np.testing.assert_allclose(drawn.sum(axis=1).std(), whole, rtol=0.08, atol=1e-9)


def test_skewed_noise_is_not_taken_for_shares():
    """Randomized response over 5,000 values, two chance supports each: no worse than Power-NS."""
    counts = np.bincount(np.arange(10_000) % 5000, minlength=5000)
    for raw in surveys(counts, 0.5, 3, "grr"):
        np.testing.assert_array_equal(empirical_bayes(raw), STEPS["power-ns"].apply(raw, {}))

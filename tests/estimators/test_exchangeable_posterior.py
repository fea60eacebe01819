"""Errors and intervals of ``exchangeable``: by brute force, by trial, and in the extreme."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.randomness import Seeded
from sottovoce.estimators.errors.bootstrap import Bootstrap, _normal, plausible_truths
from sottovoce.estimators.exchangeable import efficient as weighing
from sottovoce.estimators.exchangeable import posterior as posterior_module
from sottovoce.estimators.exchangeable.efficient import efficient, worth_it
from sottovoce.estimators.exchangeable.exchangeable import posterior_of, seen_in
from sottovoce.estimators.exchangeable.posterior import ExchangeablePosterior
from sottovoce.estimators.exchangeable.prior_averaging import Seen, weigh
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares


def zipf_counts(size, n, exponent=1.0, seed=1):
    weights = np.arange(1.0, size + 1) ** -exponent
    return np.random.default_rng(seed).multinomial(n, weights / weights.sum())


def fitted(counts, oracle="oue", epsilon=1.0, seed=1, **options):
    mechanism = sv.mechanism(oracle, sv.Categories(len(counts)), epsilon, **options)
    return sv.estimate(mechanism.simulate(counts, source=Seeded(seed)), "exchangeable")


# -- one prior, by brute force -----------------------------------------------------------------


def test_moments_and_intervals_are_those_of_sums_over_the_cells(monkeypatch):
    """Of one row, all priors mixed by hand on a grid."""
    seen = Seen(np.array([0.3, 0.5, 0.1, 0.1]), np.full(4, 0.1), 1e-4, 10_000)
    monkeypatch.setattr(posterior_module, "_FEW", 2)
    monkeypatch.setattr(posterior_module, "_DOUBT", 2.0)
    found = ExchangeablePosterior(weigh(seen))
    weighed = found.weighed
    places = weighed.hidden.places
    row = int(np.argmin(np.abs(places - 0.3 * 4)))
    mixed = np.zeros(len(weighed.grid))
    for k, probability in enumerate(weighed.probabilities):
        masses = weighed.hidden.likelihood[row] * weighed.tilted[:, k]
        mixed += probability * masses / masses.sum()
    mean = mixed @ weighed.grid
    value = int(np.flatnonzero(weighed.hidden.rows.before == row)[0])
    spread = np.sqrt(mixed @ (weighed.grid - mean) ** 2) / 4
    # Given the sum, a share varies less than by itself, and of four values visibly.
    assert 0.7 * spread < found.stderr("population")[value] < spread
    low, high = (bound[value] * 4 for bound in found.intervals("population", 0.9))
    inside = np.interp([low, high], weighed.edges, np.concatenate([[0.0], np.cumsum(mixed)]))
    assert inside[1] - inside[0] == pytest.approx(0.9, abs=1e-6)
    cumulative = np.concatenate([[0.0], np.cumsum(mixed)])
    for tail in np.linspace(0, 0.1, 11):
        other = np.interp([tail, tail + 0.9], cumulative, weighed.edges)
        assert high - low <= other[1] - other[0] + 0.01


def test_errors_have_all_covariances():
    """The sum of all has no error, and the mean square of an answer is that of its errors."""
    found = fitted(zipf_counts(50, 20_000)).error_model
    for about in ("respondents", "population"):
        assert found.stderr_of(np.ones(50), about) < 0.05 * found.stderr(about).max()
        units = [found.stderr_of(unit, about) for unit in np.eye(50)]
        np.testing.assert_allclose(units, found.stderr(about), rtol=1e-6)
        some = (np.arange(50) < 20).astype(float)
        assert found.stderr_of(some, about) == pytest.approx(
            found.stderr_of(1 - some, about), rel=0.01
        )


def test_errors_are_wider_where_the_prior_speaks():
    """By a quarter of the variance where reports say little, and not where they say all."""
    for epsilon, least, most in ((0.3, 1.08, 1.25), (8.0, 1.0, 1.03)):
        found = fitted(zipf_counts(300, 50_000, 1.3), epsilon=epsilon).error_model
        assert not found.weighed.is_clear.all()
        plain, wider = found._respondents[0].variances, found._moments("respondents")[0].variances
        ratio = found.weighed.hidden.counts @ wider / (found.weighed.hidden.counts @ plain)
        assert least < ratio @ found.weighed.probabilities < most


def test_what_noise_does_not_hide_is_the_draw_of_people():
    """At epsilon 20 respondents are known, and the population as a sample of them tells it."""
    counts = zipf_counts(19, 5_000)
    shares = counts / 5_000
    estimate = fitted(counts, "grr", 20.0)
    np.testing.assert_allclose(estimate.shares, shares, atol=2e-3)
    assert estimate.stderr.max() < 1e-4
    sampling = np.sqrt(shares * (1 - shares) / 5_000)
    np.testing.assert_allclose(estimate.for_population().stderr, sampling, rtol=0.02)


def test_intervals_are_possible_and_begin_at_0_where_nobody_may_be():
    counts = np.append(zipf_counts(30, 9_000), np.zeros(300, dtype=int))
    low, high = fitted(counts).error_model.intervals("respondents", 0.95)
    assert low.min() == 0 and high.max() <= 1 and np.all(low < high)
    assert np.mean(low[30:] == 0) > 0.97


@pytest.mark.parametrize("oracle", ["grr", "oue", "hr", "olh"])
@pytest.mark.parametrize(
    ("counts", "epsilon"),
    [([7, 0], 1.0), ([1, 0], 1.0), ([500, 0, 0], 1e-6), ([3] * 40, 0.5), ([0] * 60 + [9], 4.0)],
    ids=["alike", "one report", "nothing told", "few", "fewer than values"],
)  # fmt: skip
def test_extremes_have_intervals_without_a_warning(oracle, counts, epsilon):
    with np.errstate(all="raise", under="ignore"):
        estimate = fitted(np.array(counts), oracle, epsilon)
        for about in ("respondents", "population"):
            low, high = estimate.error_model.intervals(about, 0.95)
            assert np.isfinite(estimate.error_model.stderr(about)).all()
            assert np.all((low >= 0) & (high <= 1) & (low <= high))
    if epsilon == 1e-6:
        assert low.min() == 0 and high.max() > 0.9


def test_it_can_be_copied():
    estimate = fitted(zipf_counts(40, 3_000))
    again = copy.deepcopy(estimate)
    np.testing.assert_array_equal(again.stderr, estimate.stderr)


# -- coverage, and that the test would see less -------------------------------------------------


@pytest.mark.parametrize("oracle", ["oue", "grr", "hr"])
def test_coverage_of_shares_totals_and_the_largest(oracle):
    """15 surveys of 300 values: 4,500 shares, whose surveys differ by less than 0.01 in coverage."""
    weights = np.arange(1.0, 301) ** -1.1
    weights /= weights.sum()
    random = np.random.default_rng(7)
    mechanism = sv.mechanism(oracle, sv.Categories(300), 2.0)
    shares, narrow, totals, largest, population = [], [], [], [], []
    for seed in range(15):
        counts = random.multinomial(30_000, weights)
        truth = counts / 30_000
        tally = mechanism.simulate(counts, source=Seeded(seed))
        estimate = sv.estimate(tally)
        found = estimate.error_model
        low, high = found.intervals("respondents", 0.95)
        shares.append((low <= truth) & (truth <= high))
        less, more = found.intervals("respondents", 0.85)
        narrow.append((less <= truth) & (truth <= more))
        largest.append(shares[-1][np.argsort(-estimate.shares)[:10]])
        low, high = found.intervals("population", 0.95)
        population.append((low <= weights) & (weights <= high))
        for _ in range(20):
            some = (random.permutation(300) < 30).astype(float)
            off = abs(float((estimate.shares - truth) @ some))
            totals.append(off <= 1.96 * found.stderr_of(some, "respondents"))
    assert 0.93 < np.mean(shares) < 0.975
    assert 0.925 < np.mean(population) < 0.98
    assert np.mean(narrow) < 0.93
    assert np.mean(totals) > 0.9
    assert np.mean(largest) > 0.88


def test_the_same_errors_as_a_bootstrap():
    counts = zipf_counts(200, 40_000)
    mechanism = sv.mechanism("oue", sv.Categories(200), 1.5)
    tally = mechanism.simulate(counts, source=Seeded(3))
    raw = unbiased_shares(tally)
    again = Bootstrap(tally, raw, lambda survey: posterior_of(survey).shares, replicates=60)
    ours = posterior_of(raw).stderr("respondents")
    assert (ours**2).mean() == pytest.approx((again.stderr("respondents") ** 2).mean(), rel=0.25)


# -- values among the largest ----------------------------------------------------------------------


def test_shares_given_that_a_value_is_among_the_largest():
    """Less error on those that are, more than the plain mean, in the same order, sum above 1 or not."""
    counts = zipf_counts(400, 50_000, 1.2)
    truth = counts / 50_000
    largest = np.argsort(-truth)[:10]
    plain, given = [], []
    mechanism = sv.mechanism("oue", sv.Categories(400), 0.7)
    for seed in range(20):
        tally = mechanism.simulate(counts, source=Seeded(seed))
        mean = sv.estimate(tally, "exchangeable").shares
        among = sv.estimate(tally, "exchangeable", top=10).shares
        assert np.all(among >= 0.99 * mean)
        np.testing.assert_array_equal(np.argsort(-among)[:10], np.argsort(-mean)[:10])
        plain.append(((mean - truth)[largest] ** 2).mean())
        given.append(((among - truth)[largest] ** 2).mean())
    assert np.mean(given) < 0.8 * np.mean(plain)


# -- reports weighed by how likely they were -------------------------------------------------------


def test_weighed_shares_are_the_best_linear_ones(monkeypatch):
    """By the matrices written out, and the same by conjugate gradients."""
    counts = zipf_counts(30, 20_000, 1.5)
    mechanism = sv.mechanism("hr", sv.Categories(30), 3.0)
    observed = Observed.of(mechanism.simulate(counts, source=Seeded(1)))
    plain, shares = seen_in(observed.unbiased), counts / counts.sum()
    assert worth_it(observed.channel, shares)
    matrix, n = observed.channel.dense(), observed.n
    weights = 1 / (matrix @ shares)
    inverse = np.linalg.inv(n * matrix.T @ np.diag(weights) @ matrix)
    expected = inverse @ matrix.T @ (weights * observed.cells)
    found = efficient(observed, plain, shares)
    np.testing.assert_allclose(found.shares, expected, atol=1e-9)
    variance = np.diag(inverse) - (inverse.sum(axis=1) - np.diag(inverse)) / 29
    np.testing.assert_allclose(found.sigma**2, variance - plain.slope * shares, rtol=1e-6)
    monkeypatch.setattr(weighing, "_LARGEST_DENSE", 10)
    monkeypatch.setattr(weighing, "_PROBES", 400)
    monkeypatch.setattr(weighing, "_EXACT", 1e-9)
    iterated = efficient(observed, plain, shares)
    np.testing.assert_allclose(iterated.shares, expected, atol=1e-5)
    noise = iterated.sigma**2 + iterated.slope * shares
    assert noise.mean() == pytest.approx(variance.mean(), rel=0.1)
    assert noise @ shares == pytest.approx(np.diag(inverse) @ shares, rel=0.1)
    assert (
        iterated.slope > 1.5 * plain.slope
    )  # the plain one would be far too small for the largest


def test_weighing_takes_noise_away_and_only_where_it_can():
    """Over 30 surveys by Hadamard response; none where there is a cell a value."""
    counts = zipf_counts(16, 20_000, 2.0)
    truth = counts / counts.sum()
    mechanism = sv.mechanism("hr", sv.Categories(16), 3.0)
    errors = np.zeros(2)
    for seed in range(30):
        observed = Observed.of(mechanism.simulate(counts, source=Seeded(seed)))
        better = efficient(observed, seen_in(observed.unbiased), truth).shares
        errors += ((observed.unbiased.shares - truth) ** 2).sum(), ((better - truth) ** 2).sum()
    assert errors[1] < 0.8 * errors[0]
    for oracle in ("grr", "oue", "ss"):
        assert not worth_it(sv.mechanism(oracle, sv.Categories(16), 3.0).channel(), truth)


# -- truths for a bootstrap --------------------------------------------------------------------------


def test_plausible_truths_are_distributions_around_the_estimate():
    counts = zipf_counts(600, 100_000)
    mechanism = sv.mechanism("oue", sv.Categories(600), 1.0)
    raw = unbiased_shares(mechanism.simulate(counts, source=Seeded(1)))
    truths = np.array(plausible_truths(raw, 50, Seeded(1)))
    np.testing.assert_allclose(truths.sum(axis=1), 1.0)
    assert truths.min() >= 0
    assert np.corrcoef(truths.mean(axis=0), posterior_of(raw).shares)[0, 1] > 0.99


def test_bootstrap_errors_are_those_of_the_method():
    """For the unbiased shares themselves the bootstrap must give the formula's errors."""
    counts = np.repeat([300, 50, 0], [20, 30, 50])
    mechanism = sv.mechanism("oue", sv.Categories(100), 1.0)
    tally = mechanism.simulate(counts, source=Seeded(1))
    plain = sv.estimate(tally, "unbiased")
    raw = UnbiasedShares(plain.shares, tally.n, mechanism.channel())
    again = Bootstrap(tally, raw, lambda again: again.shares, replicates=1000)
    ratio = (again.stderr("respondents") ** 2).mean() / (plain.stderr**2).mean()
    assert abs(ratio - 1) < 0.03  # 100,000 squares: a standard deviation of 0.0045
    z = (np.arange(100) < 50).astype(float)
    formula = plain.linear(z).stderr
    assert again.stderr_of(z, "respondents") == pytest.approx(formula, rel=0.13)


@pytest.mark.parametrize("name", ["olh", "ss", "table"])
def test_the_normal_law_has_the_errors_of_the_exact_one(name):
    """Where drawing reports would be slow: shares and totals err as formulas say."""
    size, n = 20, 40_000
    table = {"weights": np.full((size, size), 10) + 30 * np.eye(size, dtype=int)}
    options = table if name == "table" else {"epsilon": 1.0}
    mechanism = sv.mechanism(name, sv.Categories(size), **options)
    tally = mechanism.simulate(np.full(size, n // size), source=Seeded(1))
    plain = sv.estimate(tally, "unbiased")
    raw = UnbiasedShares(plain.shares, tally.n, mechanism.channel())
    truth, source = np.full(size, 1 / size), Seeded(2)
    drawn = np.array([_normal(raw, truth, source) for _ in range(4000)]) - truth
    np.testing.assert_allclose(drawn.var(axis=0).mean(), (plain.stderr**2).mean(), rtol=0.05)
    whole = plain.linear(np.ones(size)).stderr
    np.testing.assert_allclose(drawn.sum(axis=1).std(), whole, rtol=0.08, atol=1e-9)

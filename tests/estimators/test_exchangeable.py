"""``exchangeable``: its posterior by brute force, its priors by formula, its promises by trial."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.progress import Meter
from sottovoce.estimators.exchangeable.dirichlet import concentrate
from sottovoce.estimators.exchangeable.exchangeable import seen_in
from sottovoce.estimators.exchangeable.noisy_values import log_likelihood
from sottovoce.estimators.exchangeable.posterior import ExchangeablePosterior
from sottovoce.estimators.exchangeable.prior_averaging import Seen, weigh
from sottovoce.estimators.exchangeable.share_priors import noise_levels, priors_for
from sottovoce.estimators.methods import find_method
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.unbiased import unbiased_shares


def drawn(weights, n, seed=1):
    random = np.random.default_rng(seed)
    return random.permutation(random.multinomial(n, np.asarray(weights) / np.sum(weights)))


def zipf(size):
    return 1 / np.arange(1.0, size + 1)


def posterior(shares, sigma, slope=0.0, n=10**12):
    """Of shares seen with normal noise, of so many people that respondents are the population."""
    sigma = np.broadcast_to(sigma, np.shape(shares)).astype(float)
    return ExchangeablePosterior(weigh(Seen(np.asarray(shares, dtype=float), sigma, slope, n)))


# -- the posterior ---------------------------------------------------------------------------


def brute_force(shares, sigma, points=900):
    """Posterior means given the sum, all priors mixed: shares on a fine line, sums by convolution."""
    size = len(shares)
    places, noise = np.asarray(shares) * size, sigma * size
    priors = priors_for(size, noise_levels(np.full(size, noise)))
    step = size / (points + size / 2 % 1)
    last = points - size // 2 if size % 2 == 0 else points - (size - 1) // 2
    line = (np.arange(points) + 0.5) * step
    cumulative = np.vstack([np.zeros(priors.masses.shape[1]), np.cumsum(priors.masses, axis=0)])
    edges = np.concatenate([[0.0], np.cumsum(priors.widths)])
    borders = np.minimum(np.arange(points + 1) * step, edges[-1])
    likelihood = np.exp(-((places[:, None] - line) ** 2) / (2 * noise**2))
    length = 2 ** math.ceil(math.log2(size * points))
    observed, means = [], []
    for column in cumulative.T:
        masses = np.diff(np.interp(borders, edges, column))
        prior = np.fft.irfft(np.fft.rfft(masses, length) ** size, length)[last]
        waves = np.fft.rfft(masses * likelihood, length, axis=1)
        joint = np.fft.irfft(np.prod(waves, axis=0), length)[last]
        if prior < 1e-9 or joint < 1e-13:  # less than the transform's own rounding
            observed.append(-np.inf)
            means.append(np.full(size, 1 / size))
            continue
        observed.append(np.log(joint / prior))
        weighted = np.fft.rfft(masses * likelihood * line, length, axis=1)
        others = [np.prod(np.delete(waves, v, axis=0), axis=0) for v in range(size)]
        sums = [np.fft.irfft(w * o, length)[last] for w, o in zip(weighted, others, strict=True)]
        means.append(np.array(sums) / joint / size)
    log_odds = np.array(observed) + priors.log_odds
    weights = np.exp(log_odds - log_odds.max())
    return weights @ np.array(means) / weights.sum()


@pytest.mark.parametrize(
    ("shares", "sigma", "off"),
    [
        ([0.3, 0.7], 0.2, 0.1),
        ([0.1, 0.9], 0.1, 0.1),
        ([0.2, 0.2, 0.6], 0.15, 0.1),
        ([-0.05, 0.35, 0.7], 0.1, 0.15),
        ([0.4, 0.1, 0.05, 0.0, 0.1, -0.05, 0.15, 0.25], 0.1, 0.1),
        ([0.5, 0.02, 0.05, 0.08, 0.1, -0.05, 0.15, 0.15], 0.05, 0.05),
    ],
)
def test_posterior_means_are_those_of_brute_force(shares, sigma, off):
    """Within a small part of a standard error."""
    found = posterior(shares, sigma).shares
    exact = brute_force(shares, sigma)
    assert np.abs(found - exact).max() < off * sigma
    plain = np.clip(shares, 0, None)
    assert np.abs(plain / plain.sum() - exact).max() > 2 * np.abs(found - exact).max()


def test_a_common_shift_does_not_matter():
    shares = np.random.default_rng(1).dirichlet(np.ones(30))
    for shift in (0.01, -0.03):
        moved = posterior(shares + shift, 0.02).shares
        np.testing.assert_allclose(moved, posterior(shares, 0.02).shares, atol=1e-9)


def test_many_values_are_interpolated():
    """600 rows of their own, or rows between which values lie: the same to a thousandth of the noise."""
    random = np.random.default_rng(2)
    shares = zipf(600) / zipf(600).sum() + random.normal(0, 0.002, 600)
    apart = posterior(shares, 0.002 * (1 + 1e-6 * random.random(600)))
    together = posterior(shares, 0.002)
    np.testing.assert_allclose(together.shares, apart.shares, atol=2e-3 * 0.002)
    for about in ("population", "respondents"):
        np.testing.assert_allclose(together.stderr(about), apart.stderr(about), rtol=0.01)
        some = (np.arange(600) % 7 == 0).astype(float)
        assert together.stderr_of(some, about) == pytest.approx(
            apart.stderr_of(some, about), rel=0.01
        )
        for ours, theirs in zip(
            together.intervals(about, 0.95), apart.intervals(about, 0.95), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, atol=0.2 * 0.002)  # as short at other ends


def test_skewed_noise_is_that_of_counts():
    """With b = sigma^2/slope, x + b is a Poisson count times the slope."""
    nu, offset = 40.0, 0.5
    t = np.linspace(0, 3, 7)
    for count in (0, 3, 55):
        ours = log_likelihood(
            np.array([count / nu - offset])[:, None], np.sqrt(np.array([[offset / nu]])), 1 / nu, t
        )[0]
        theirs = stats.poisson.logpmf(count, nu * (t + offset))
        np.testing.assert_allclose(ours - ours[0], theirs - theirs[0], atol=1e-9)


@pytest.mark.parametrize(("noise", "most"), [(0.05, 0.4), (0.01, 0.2), (0.001, 0.1)])
def test_few_values_that_may_be_equal_are_drawn_together_however_clear(noise, most):
    seen = 1 / 3 + noise * np.array([0.6, -0.8, 0.2])
    shares = posterior(seen, noise).shares
    assert np.abs(shares - 1 / 3).max() < most * np.abs(seen - 1 / 3).max()
    unequal = 1 / 3 + noise * np.array([6.0, -6.0, 0.0])
    np.testing.assert_allclose(posterior(unequal, noise).shares, unequal, atol=noise)


def test_among_as_many_as_there_are_every_share_is_its_mean():
    fitted = posterior([0.5, 0.3, 0.2], 0.05)
    np.testing.assert_array_equal(fitted.shares_if_among(10), fitted.shares)


# -- priors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 60, 5000])
@pytest.mark.parametrize("noise", [1e-4, 0.3, 40.0])
def test_priors_are_distributions_of_mean_one(size, noise):
    priors = priors_for(size, noise_levels(np.array([noise])))
    assert priors.masses.min() >= 0
    np.testing.assert_allclose(priors.masses.sum(axis=0), 1.0)
    np.testing.assert_allclose(priors.grid @ priors.masses, 1.0, atol=1e-6)
    assert np.exp(priors.log_odds).sum() == pytest.approx(
        1.0, abs=0.3
    )  # some do not fit few values
    assert len(priors.labels) == priors.masses.shape[1] > 60
    assert priors.widths.sum() == pytest.approx(size)


def test_gamma_priors_have_the_variance_of_gammas():
    priors = priors_for(10_000, noise_levels(np.array([0.05])))
    for label, variance in zip(priors.labels, priors.variances, strict=True):
        if label.startswith("one kind"):
            shape = float(label.split()[-1])
            if 0.05 < shape < 50:
                assert variance == pytest.approx(1 / shape, rel=0.05)


# -- any channel -----------------------------------------------------------------------------


def test_concentrations_are_weighed_as_by_quadrature():
    """Two values through a table: Beta priors, posterior mean and evidence by integration."""
    mechanism = sv.mechanism("table", sv.Categories(2), weights=[[7, 3], [2, 8]])
    tally = mechanism.simulate([130, 70], source=sv.Seeded(1))
    channel, cells = mechanism.channel(), tally.cells
    found = concentrate(Observed(tally), Meter(None, "test", "priors", "log marginal", 1))

    def density(w, a):
        expected = channel.forward(np.array([w, 1 - w]))
        top = cells @ np.log(cells / cells.sum())
        return math.exp(cells @ np.log(expected) - top) * stats.beta.pdf(w, a, a)

    moments = np.array(
        [
            [
                integrate.quad(lambda w, a=one.concentration, k=k: w**k * density(w, a), 0, 1)[0]
                for k in (0, 1)
            ]
            for one in found.fits
            if one.concentration >= 1
        ]
    )
    log_marginals = np.array([one.log_marginal for one in found.fits if one.concentration >= 1])
    exact = np.log(moments[:, 0])
    np.testing.assert_allclose(log_marginals - log_marginals[0], exact - exact[0], atol=0.05)
    weights = np.exp(exact - exact.max())
    mean = weights @ (moments[:, 1] / moments[:, 0]) / weights.sum()
    assert found.shares[0] == pytest.approx(mean, abs=0.02)


@pytest.mark.parametrize("name", ["sw", "pm", "laplace", "hh"])
def test_channels_without_formula(name):
    """Nearer to the truth than the likeliest distribution, nowhere negative, of sum 1."""
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=24), 1.0)
    counts = drawn(np.repeat([1.0, 4.0], 12), 20_000)
    errors = {}
    for seed in range(3):
        tally = mechanism.simulate(counts, source=sv.Seeded(seed))
        for method in ("exchangeable", "mle"):
            estimate = sv.estimate(tally, method)
            assert estimate.shares.min() >= 0
            assert estimate.shares.sum() == pytest.approx(1)
            error = ((estimate.shares - counts / 20_000) ** 2).sum()
            errors[method] = errors.get(method, 0.0) + error
    assert errors["exchangeable"] < 0.9 * errors["mle"]


# -- promises ----------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 400), min_size=2, max_size=40), st.sampled_from([0.1, 1.0, 4.0]))
@settings(max_examples=15)
def test_order_does_not_matter_and_ties_stay(counts, epsilon):
    counts = np.array(counts) + (sum(counts) == 0)
    mechanism = sv.mechanism("grr", sv.Categories(len(counts)), epsilon)
    order = np.random.default_rng(len(counts)).permutation(len(counts))
    n = int(counts.sum())
    first = sv.estimate(sv.Tally(mechanism, n, counts), "exchangeable").shares
    second = sv.estimate(sv.Tally(mechanism, n, counts[order]), "exchangeable").shares
    np.testing.assert_allclose(first[order], second, rtol=0, atol=1e-9)
    assert first.min() >= 0
    assert first.sum() == pytest.approx(1)
    for count in set(counts.tolist()):
        assert np.ptp(first[counts == count]) == 0


def test_order_does_not_matter_through_a_table():
    weights = np.full((9, 9), 10) + 25 * np.eye(9, dtype=int)
    weights[[0, 1], [1, 0]] += 8
    weights[:2, 2:4] -= 4
    cells = np.random.default_rng(1).multinomial(900, np.full(9, 1 / 9))
    order = np.random.default_rng(2).permutation(9)
    plain = sv.mechanism("table", sv.Categories(9), weights=weights)
    mixed = sv.mechanism("table", sv.Categories(9), weights=weights[order][:, order])
    first = sv.estimate(sv.Tally(plain, 900, cells), "exchangeable").shares
    second = sv.estimate(sv.Tally(mixed, 900, cells[order]), "exchangeable").shares
    np.testing.assert_allclose(first[order], second, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "ss", "hr"])
@pytest.mark.parametrize("size", [2, 3, 50])
def test_limits(name, size):
    """Reports that tell nothing leave all alike; those that tell all are believed."""
    counts = drawn(zipf(size), 100_000)
    nothing = sv.mechanism(name, sv.Categories(size), 1e-6)
    shares = sv.estimate(nothing.simulate(counts, source=sv.Seeded(1)), "exchangeable").shares
    np.testing.assert_allclose(shares * size, 1.0, atol=0.05)
    everything = sv.mechanism(name, sv.Categories(size), 20.0)
    tally = everything.simulate(counts, source=sv.Seeded(1))
    found = sv.estimate(tally, "exchangeable").shares
    likeliest = sv.estimate(tally, "mle").shares
    assert np.abs(found - likeliest).max() < 4 * np.abs(likeliest - counts / 100_000).max() + 1e-4


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "table"])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 20.0])
def test_a_single_report(name, epsilon):
    options = {"weights": [[7, 3], [2, 8]]} if name == "table" else {"epsilon": epsilon}
    mechanism = sv.mechanism(name, sv.Categories(2), **options)
    estimate = sv.estimate(mechanism.simulate([1, 0], source=sv.Seeded(3)), "exchangeable")
    assert np.isfinite(estimate.shares).all()
    assert estimate.shares.min() >= 0
    assert np.isfinite(estimate.stderr).all()


def test_a_single_value_is_certain():
    mechanism = sv.mechanism("table", sv.Categories(1), weights=[[1]])
    estimate = sv.estimate(mechanism.simulate([5], source=sv.Seeded(1)), "exchangeable")
    assert (estimate.method, estimate.shares.tolist()) == ("certain", [1.0])


def test_what_it_says_and_what_it_refuses():
    mechanism = sv.mechanism("grr", sv.Categories(5), 1.0)
    tally = mechanism.simulate([50, 20, 20, 5, 5], source=sv.Seeded(1))
    calls = []
    estimate = sv.estimate(tally, "exchangeable", progress=lambda *told: calls.append(told))
    assert "priors matter; best: " in estimate.why
    assert len(calls) == 1
    assert calls[0][0].startswith("exchangeable: ") and calls[0][1] == 1.0
    assert sv.estimate(tally, "eb").method == sv.estimate(tally, "empirical-bayes").method
    with pytest.raises(
        InvalidInput, match="option top of exchangeable must be a whole number of at least 1"
    ):
        sv.estimate(tally, "exchangeable", top=0)
    with pytest.raises(InvalidInput, match="option concentration of exchangeable"):
        sv.estimate(tally, "exchangeable", concentration=1.0)
    rounding = sv.mechanism("sr", sv.Interval(0, 1, bins=4), 1.0)
    with pytest.raises(Unfit, match="at most a mean"):
        sv.estimate(rounding.simulate([5, 5, 5, 5], source=sv.Seeded(1)), "exchangeable")
    wave = sv.mechanism("sw", sv.Interval(0, 1, bins=4096), 1.0)
    with pytest.raises(Unfit, match="at most 2048 values"):
        find_method("exchangeable", wave)
    rows = sv.mechanism("sampled-coordinate", sv.Vector(sv.Interval(0, 1, bins=3), 2), 1.0)
    with pytest.raises(Unfit, match="a sum of their own"):
        find_method("exchangeable", rows)


def test_noise_of_differences():
    """Randomized response between two values: their difference has four times the variance of one."""
    mechanism = sv.mechanism("grr", sv.Categories(2), 1.0)
    tally = mechanism.simulate([600, 400], source=sv.Seeded(1))
    raw = unbiased_shares(tally)
    single = mechanism.channel().support_probabilities.variance(np.array([0.0]))[0] / 1000
    np.testing.assert_allclose(seen_in(raw).sigma ** 2, 2 * single)


# -- the whole -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "part"),
    [(np.ones(60), 0.1), (zipf(60), 0.85), (np.repeat([4.0, 0.5], [6, 54]), 0.6)],
    ids=["alike", "zipf", "spikes"],
)
@pytest.mark.parametrize("oracle", ["grr", "olh", "oue"])
def test_it_beats_what_knows_less(oracle, weights, part):
    """Squared error over ten surveys, beside the nearest distribution and the power law."""
    counts = drawn(weights, 40_000)
    mechanism, source = sv.mechanism(oracle, sv.Categories(60), 1.5), sv.Seeded(4)
    errors = {}
    for _ in range(10):
        tally = mechanism.simulate(counts, source=source)
        for method in ("exchangeable", "norm-sub", "power-ns"):
            shares = sv.estimate(tally, method).shares
            error = ((shares - counts / 40_000) ** 2).sum()
            errors[method] = errors.get(method, 0.0) + error
    ours = errors.pop("exchangeable")
    assert ours < part * errors["norm-sub"]
    assert ours < 1.1 * min(errors.values())

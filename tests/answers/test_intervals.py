"""Intervals hold possible values only, and the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.answers.intervals import all_within, count_low, score_interval, within


def test_an_estimate_outside_its_bounds_is_taken_to_the_nearest():
    assert within(-0.2, 0.1, 2.0) == (0.0, 0.2)
    assert within(1.2, 0.1, 2.0) == (0.8, 1.0)
    assert within(0.5, 0.1, 2.0) == (0.3, 0.7)
    assert within(7.0, 1.0, 2.0, 1.0, 5.0) == (3.0, 5.0)
    low, high = all_within(np.array([-0.2, 0.5, 1.2]), np.full(3, 0.1), 2.0)
    np.testing.assert_allclose([low, high], [[0, 0.3, 0.8], [0.2, 0.7, 1]])


def test_score_intervals_are_the_roots_of_the_test():
    """Each end is rejected just so, by the variance that it has there."""
    x, variance, slope, bend, reach = np.array([0.02, 0.4]), 1e-4, 3e-3, 2e-3, 1.96
    for end in score_interval(x, np.full(2, variance), slope, reach, bend):
        there = variance + slope * end - bend * end**2
        np.testing.assert_allclose((x - end) ** 2, reach**2 * there, rtol=1e-9)


def test_wilson_is_the_score_interval_of_plain_counts():
    n, count, z = 50, 3, 1.959964
    part = count / n
    centre = (part + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(part * (1 - part) / n + z**2 / (4 * n**2))
    low, high = score_interval(np.array([part]), np.zeros(1), 1 / n, z, 1 / n)
    np.testing.assert_allclose([low[0], high[0]], [centre - half, centre + half])


@pytest.mark.parametrize("reach", [1.96, 3.5])
def test_a_count_rules_out_what_poisson_would(reach):
    """Against the exact tail: never above it, and within a factor of ten of it."""
    slope, alpha = 0.01, float(stats.norm.sf(reach))
    for base in (0.3, 4.0, 200.0):
        counts = np.arange(base, base + 12 + 8 * np.sqrt(base)).round()
        x = (counts - base) * slope
        low = count_low(x, np.full(len(x), base * slope**2), slope, reach)
        assert np.all((low >= 0) & (low <= np.maximum(x, 0)))
        tails = stats.poisson.sf(counts - 1, low / slope + base)
        assert np.all(tails[low > 0] <= 1.02 * alpha) and np.all(tails[low > 0] > alpha / 10)
        assert np.all(tails[low == 0] >= alpha / 10)
        normal, _ = score_interval(x, np.full(len(x), base * slope**2), slope, reach)
        if base < 1:  # the normal law would rule out what chance gives too often
            assert stats.poisson.sf(counts - 1, normal / slope + base)[normal > 0].max() > 2 * alpha


@pytest.mark.parametrize("method", ["unbiased", "auto"])
def test_the_largest_of_few_reports_are_covered(method):
    """100 people and 100 values by randomized response: by normal intervals 14% of the largest would miss."""
    shares = np.arange(1.0, 101) ** -1.1
    shares /= shares.sum()
    mechanism, held, plain = sv.mechanism("grr", sv.Categories(100), 2.0), [], []
    for seed in range(60):
        counts = np.random.default_rng(seed).multinomial(100, shares)
        estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), method)
        order = np.argsort(-estimate.shares, kind="stable")[:10]
        for chosen, found in ((10, held), (None, plain)):
            low, high = estimate.bounds(chosen=chosen)
            found.extend(((low <= counts / 100) & (counts / 100 <= high))[order])
    assert np.mean(held) > 0.95 > 0.9 > np.mean(plain)


@pytest.mark.parametrize("about", ["respondents", "population"])
@pytest.mark.parametrize(("n", "epsilon"), [(100, 4.0), (100, 0.5), (3000, 2.0)])
def test_coverage_of_unbiased_shares_of_few_reports(about, n, epsilon):
    """400 surveys of 10 values, two rare: 4,000 intervals; a reach 15% shorter is seen."""
    weights = np.array([30, 20, 15, 12, 10, 6, 4, 2, 0.7, 0.3]) / 100
    mechanism, random = sv.mechanism("oue", sv.Categories(10), epsilon), np.random.default_rng(1)
    held, shorter = [], []
    for seed in range(400):
        counts = random.multinomial(n, weights)
        truth = counts / n if about == "respondents" else weights
        estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), "unbiased")
        if about == "population":
            estimate = estimate.for_population()
        for confidence, found in ((0.95, held), (0.905, shorter)):
            low, high = estimate.bounds(confidence)
            assert low.min() >= 0 and high.max() <= 1
            found.append((low <= truth) & (truth <= high))
    assert 0.938 < np.mean(held) < 0.985
    assert np.mean(shorter) < np.mean(held) - 0.01


def test_every_answer_is_possible():
    """Shares, totals, ranges and means of reports that tell next to nothing."""
    mechanism = sv.mechanism("oue", sv.Interval(10, 20, bins=5), 0.05)
    tally = mechanism.simulate([0, 0, 0, 0, 60], source=sv.Seeded(3))
    estimate = sv.estimate(tally, "unbiased")
    answers = [estimate.share(number) for number in (11, 13, 15, 17, 19)]
    answers += [estimate.range(10, 14), estimate.cdf(15)]
    for one in answers:
        assert 0 <= one.low <= one.high <= 1
    mean = estimate.mean()
    assert 10 <= mean.low <= mean.high <= 20
    frame = estimate.frame()
    assert min(frame["low"]) >= 0 and max(frame["high"]) <= 1


def test_an_anytime_interval_is_possible_too():
    mechanism = sv.mechanism("oue", sv.Categories(4), 0.5)
    estimate = sv.estimate(mechanism.simulate([200, 0, 0, 0], source=sv.Seeded(1)))
    low, high = estimate.anytime(planned=1000).bounds()
    assert low.min() >= 0 and high.max() <= 1

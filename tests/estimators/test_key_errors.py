"""Errors of ``em`` over keys with numbers: against dense matrices, repeated surveys and the bootstrap."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Channel
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.errors.parametric_bootstrap import ParametricBootstrap
from sottovoce.estimators.likelihood.em import _PassByPass
from sottovoce.estimators.likelihood.key_errors import KeyCurvature
from sottovoce.estimators.methods import registered_method
from sottovoce.estimators.observed import Observed
from tests.support.copies import pickled

FALSE_ALARM = 1e-7
LONG = {"tolerance": 0.01, "long_passes": True}


def make(how: str, keys: int, bins: int, epsilon: float, pairs: int | None = None) -> Mechanism:
    domain = sv.KeyValues(keys, 0, 1, bins=bins, pairs=pairs)
    return sv.mechanism("key-value", domain, epsilon, keys=how, numbers="piecewise")


def population(keys: int, bins: int, pairs: int | None = None) -> np.ndarray:
    """Frequencies that fall like 1/k, numbers more and more to the right."""
    x = (np.arange(bins) + 0.5) / bins
    held = np.array([x**k * (1 - x) for k in range(keys)]) + 0.01
    held *= (1 / np.arange(1, keys + 1) / held.sum(axis=1))[:, None]
    shares = held.ravel() / held.sum()
    return shares if pairs is None else np.append(0.7 * shares, 0.3)


def survey(mechanism: Mechanism, n: int, seed: int) -> tuple[np.ndarray, sv.Tally]:
    domain = mechanism.domain
    shares = population(domain.keys.size, domain.interval.bins, domain.pairs)
    counts = np.random.default_rng(seed).multinomial(n, shares)
    return counts, mechanism.simulate(counts, source=sv.Seeded(seed))


def covariance_of_cells(channel: Channel, shares: np.ndarray) -> np.ndarray:
    """Of the cells of one person drawn from the population, blocks independent given the pair."""
    matrix = channel.dense()
    expected, each = matrix @ shares, channel.cells // channel.blocks
    joint = (matrix * shares) @ matrix.T
    for block in range(channel.blocks):
        own = slice(block * each, (block + 1) * each)
        joint[own, own] = np.diag(expected[own])
    return joint - np.outer(expected, expected)


def _root(population: float, draw: float, about: str) -> float:
    return float(np.sqrt(population + (draw if about == "respondents" else max(draw, 0.0))))


@pytest.mark.parametrize("how", ["unary", "response"])
@pytest.mark.parametrize("pairs", [None, 2])
def test_errors_are_those_of_dense_matrices(how: str, pairs: int | None) -> None:
    mechanism = make(how, 5, 6, 2.0, pairs)
    _, tally = survey(mechanism, 5000, 1)
    errors = sv.estimate(tally, **LONG, method="em").error_model
    assert isinstance(errors, KeyCurvature)
    n, channel, w = tally.n, mechanism.channel(), errors._spread
    matrix = channel.dense()
    scores = matrix / (matrix @ w)[:, None]
    information = n * matrix.T @ scores
    prior = np.diag(errors.pull / w)
    inverse = np.linalg.inv(information + prior)
    ones = inverse.sum(axis=1)
    inverse -= np.outer(ones, ones) / ones.sum()
    noise = n * scores.T @ covariance_of_cells(channel, w) @ scores
    missing = inverse @ errors.slope
    of_population = inverse @ (noise + prior) @ inverse + np.outer(missing, missing)
    draw = (np.diag(w) - np.outer(w, w)) / n
    followed = inverse @ information @ draw
    of_draw = draw - followed - followed.T
    for about in ("population", "respondents"):
        expected = [
            _root(z @ of_population @ z, z @ of_draw @ z, about)
            for z in (*np.eye(len(w)), np.random.default_rng(1).normal(size=len(w)))
        ]
        np.testing.assert_allclose(errors.stderr(about), expected[:-1], rtol=1e-9)
        weights = np.random.default_rng(1).normal(size=len(w))
        assert errors.stderr_of(weights, about) == pytest.approx(expected[-1], rel=1e-9)
    again = pickled(errors)
    assert np.array_equal(again.stderr("population"), errors.stderr("population"))


@pytest.mark.parametrize("pairs", [None, 2])
def test_long_passes_go_the_same_way(pairs: int | None) -> None:
    """As many keys, so many fewer passes: with a tolerance as many times as large they end alike."""
    mechanism = make("unary", 8, 6, 2.0, pairs)
    _, tally = survey(mechanism, 5000, 2)
    plain = sv.estimate(tally, "em", tolerance=0.005)
    long = sv.estimate(tally, "em", tolerance=0.04, long_passes=True)
    assert 6 < plain.iterations / long.iterations < 10
    assert np.abs(plain.shares - long.shares).max() < 0.02 * plain.shares.max()
    assert np.abs(plain.shares - 1 / len(plain.shares)).max() > 0.5 * plain.shares.max()
    np.testing.assert_allclose(plain.stderr, long.stderr, rtol=0.15)


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_compiled_long_passes_are_the_plain_ones_and_never_lose(epsilon: float) -> None:
    pytest.importorskip("numba")
    mechanism = make("unary", 12, 5, epsilon)
    counts = np.zeros(60, dtype=np.int64)
    counts[7] = 900  # from uniform shares a long way to go
    observed = Observed.of(mechanism.simulate(counts, source=sv.Seeded(1)))
    uniform = np.full(60, 1 / 60)
    run = observed.channel.em_run(observed.cells, 12)
    assert run is not None
    one, other = run.run(uniform, 40, 0.0, 0), _PassByPass(observed, 12).run(uniform, 40, 0.0, 0)
    assert len(one[2]) == len(other[2])
    np.testing.assert_allclose(one[0], other[0], rtol=1e-7, atol=1e-12)
    assert np.all(np.diff(one[2]) >= -1e-7)


@pytest.mark.parametrize(("how", "epsilon"), [("unary", 3.0), ("response", 1.0)])
def test_errors_have_the_size_that_surveys_show(how: str, epsilon: float) -> None:
    """Of frequencies and of sums that means are made of; half of each would be rejected."""
    mechanism = make(how, 6, 8, epsilon)
    middles = (np.arange(8) + 0.5) / 8
    z = []
    for seed in range(70):
        counts, tally = survey(mechanism, 20_000, seed)
        estimate = sv.estimate(tally)
        assert estimate.method == "em"
        for key in range(2):
            weights = np.zeros(48)
            weights[8 * key : 8 * key + 8] = 1.0 if seed % 2 else middles - 0.5
            error = (estimate.shares - counts / tally.n) @ weights
            z.append(error / estimate.linear(weights).stderr)
    squares = float(np.sum(np.square(z)))
    low, high = stats.chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], len(z))
    assert low < squares < high
    assert not low < 4 * squares < high


def test_errors_agree_with_the_bootstrap() -> None:
    mechanism = make("unary", 5, 8, 2.0)
    _, tally = survey(mechanism, 20_000, 3)
    estimate, observed = sv.estimate(tally, "em", **LONG), Observed.of(tally)
    method = registered_method("em")
    repeated = ParametricBootstrap(observed, method, LONG, method.run(observed, LONG))
    for key in range(3):
        weights = np.repeat(np.arange(5) == key, 8).astype(float)
        for about in ("respondents", "population"):
            ours = estimate.error_model.stderr_of(weights, about)
            assert 0.6 < ours / repeated.stderr_of(weights, about) < 1.6


def test_one_report_and_all_alike() -> None:
    """No certainty, no warning: also where a key has nobody, or a single report is all there is."""
    for how in ("unary", "response"):
        for pairs in (None, 1):
            mechanism = make(how, 4, 4, 1.0, pairs)
            for people in (1, 500):
                counts = np.zeros(mechanism.domain.size, dtype=np.int64)
                counts[3] = people
                estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1)))
                rows = estimate.keys()
                assert np.all(np.isfinite(estimate.stderr)) and np.all(estimate.stderr > 0)
                low, high = (np.array(rows[name]) for name in ("low", "high"))
                assert np.all((low >= 0) & (high <= 1) & (low < high))
                if people == 1:
                    assert np.all(high - low > 0.1)


def test_long_passes_is_yes_or_no() -> None:
    _, tally = survey(make("unary", 3, 3, 1.0), 100, 1)
    with pytest.raises(InvalidInput, match="long_passes of em must be True or False; got 3"):
        sv.estimate(tally, "em", long_passes=3)


def test_people_without_a_pair_are_not_forgotten() -> None:
    """Unary reports do not say "no pair": from uniform shares nearly everybody seems to hold one."""
    mechanism = make("unary", 20, 8, 1.0, pairs=1)
    counts, tally = survey(mechanism, 100_000, 4)
    start = np.full(161, 1 / 161)
    ours, uniform = (sv.estimate(tally, "em", **LONG, **more) for more in ({}, {"start": start}))
    truth = counts[-1] / tally.n
    assert abs(ours.shares[-1] - truth) < 0.15 < 0.2 < abs(uniform.shares[-1] - truth)


def test_a_difference_to_the_unbiased_answer_beyond_chance_counts() -> None:
    mechanism = make("unary", 6, 8, 2.0)
    _, tally = survey(mechanism, 20_000, 5)
    estimate = sv.estimate(tally)
    errors, weights = estimate.error_model, np.repeat([1.0, 0, 0, 0, 0, 0], 8)
    plain = errors.stderr_of(weights, "respondents")
    moved = dataclasses.replace(errors, shares=errors.shares + 0.05 * weights / 8)
    again = moved.stderr_of(weights, "respondents")
    unbiased = sv.estimate(tally, "unbiased").frequency(0)
    apart = moved.shares @ weights - unbiased.value
    assert plain < 0.02 and 0.9 * apart < again < np.hypot(apart, 2 * unbiased.stderr)

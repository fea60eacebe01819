"""Metrics: against scipy and brute force, as distances, in batches, and on bad input."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

import sottovoce as sv
from sottovoce import metrics
from sottovoce.base.errors import InvalidInput

SIZES = (1, 2, 3, 10, 37, 256)
AGES = sv.Interval(20, 70, bins=5)


def pair(size, seed=0):
    rng = np.random.default_rng([size, seed])
    return rng.dirichlet(np.full(size, 0.4)), rng.dirichlet(np.ones(size))


@st.composite
def distributions(draw, count):
    size = draw(st.integers(1, 12))
    rows = []
    for _ in range(count):
        weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
        if not any(weights):
            weights[draw(st.integers(0, size - 1))] = 1
        rows.append(np.array(weights) / sum(weights))
    return rows


# -- against scipy ---------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_distances_are_those_of_scipy(size):
    found, true = pair(size)
    middles = (np.arange(size) + 0.5) / size
    wanted = stats.wasserstein_distance(middles, middles, found, true)
    assert metrics.wasserstein(found, true) == pytest.approx(wanted, abs=1e-14)
    assert metrics.jensen_shannon(found, true) == pytest.approx(jensenshannon(found, true))
    two = jensenshannon(found, true, base=2)
    assert metrics.jensen_shannon(found, true, base=2) == pytest.approx(two)
    found = np.maximum(found, 1e-9) / np.maximum(found, 1e-9).sum()
    assert metrics.kullback_leibler(found, true) == pytest.approx(stats.entropy(true, found))
    two = stats.entropy(true, found, base=2)
    assert metrics.kullback_leibler(found, true, base=2) == pytest.approx(two)


def test_kolmogorov_smirnov_is_that_of_scipy():
    rng = np.random.default_rng(5)
    people = rng.integers(0, 30, 400), rng.binomial(29, 0.4, 300)
    found, true = (np.bincount(p, minlength=30) / len(p) for p in people)
    wanted = stats.ks_2samp(*people, method="asymp").statistic
    assert metrics.kolmogorov_smirnov(found, true) == pytest.approx(wanted)


# -- against brute force ------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", [0.1, 0.4, 0.999])
def test_random_ranges_are_averaged_over_all_places(size, width):
    found, true = pair(size)
    places = (np.arange(400_000) + 0.5) / 400_000 * (1 - width)
    edges, error = np.arange(size + 1) / size, np.append(0, np.cumsum(found - true))
    line = np.interp(places + width, edges, error) - np.interp(places, edges, error)
    wanted = np.abs(line).mean()
    assert metrics.range_error(found, true, width) == pytest.approx(wanted, abs=2e-6)


@pytest.mark.parametrize("size", SIZES)
def test_mean_and_variance_are_those_of_people(size):
    found, true = pair(size)
    domain = sv.Interval(-3, 17, bins=size)
    x = domain.midpoints
    means = [np.average(x, weights=w) for w in (found, true)]
    variances = [
        np.average((x - m) ** 2, weights=w) for m, w in zip(means, (found, true), strict=True)
    ]
    error = metrics.mean_error(found, true, domain=domain)
    assert error == pytest.approx(abs(means[0] - means[1]))
    error = metrics.variance_error(found, true, domain=domain)
    assert error == pytest.approx(abs(variances[0] - variances[1]))
    assert metrics.mean_error(found, true) == pytest.approx(abs(means[0] - means[1]) / 20)


def test_unbiased_shares_have_means():
    error = metrics.mean_error([-0.1, 0.2, 0.9], [0.2, 0.3, 0.5])
    assert error == pytest.approx(abs(-0.1 * 1 + 0.2 * 3 + 0.9 * 5 - 0.2 - 0.9 - 2.5) / 6)


@pytest.mark.parametrize("size", SIZES)
def test_quantiles_are_the_last_bins_with_at_most_that_many(size):
    found, true = pair(size)

    def quantile(shares, level):
        ends = [v for v in range(1, size + 1) if sum(shares[:v]) <= level]
        return max(ends, default=0) / size

    wanted = np.mean([abs(quantile(found, k / 10) - quantile(true, k / 10)) for k in range(1, 10)])
    assert metrics.quantile_error(found, true) == pytest.approx(wanted)
    one = metrics.quantile_error(found, true, at=[0.5])
    assert one == pytest.approx(abs(quantile(found, 0.5) - quantile(true, 0.5)))


def test_quantiles_forgive_rounding():
    tenths = np.full(10, 0.1)  # up to the third bin they sum to 0.30000000000000004
    exact = np.array([0, 0, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    assert metrics.quantile_error(tenths, exact, at=[0.3, 0.5]) == 0


TRUTH = np.array([0.4, 0.3, 0.2, 0.1, 0.0, 0.0])
ROWS = np.array([[0.5, 0.2, 0.2, 0.2, -0.1, 0.0], [0.3, 0.3, 0.1, 0.1, 0.1, 0.2]])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
def test_errors_on_sets_are_the_mean_over_all_sets(size):
    sets = [list(chosen) for chosen in combinations(range(6), size)]
    errors = [((ROWS - TRUTH)[:, chosen].sum(axis=1)) ** 2 for chosen in sets]
    wanted = np.mean(errors, axis=0)
    np.testing.assert_allclose(metrics.subset_error(ROWS, TRUTH, size), wanted, atol=1e-15)


def test_errors_of_values_and_groups():
    np.testing.assert_allclose(metrics.mean_squared_error(ROWS[0], TRUTH), 0.04 / 6)
    np.testing.assert_allclose(metrics.mean_absolute_error(ROWS[0], TRUTH), 0.4 / 6)
    np.testing.assert_allclose(metrics.top_error(ROWS, TRUTH, 2), [0.01, 0.005])
    groups = np.array([0, 0, 1, 1, 2, 2])
    np.testing.assert_allclose(metrics.group_error(ROWS[0], TRUTH, groups), 0.02 / 3)
    clipped = metrics.group_error(ROWS[0], TRUTH, groups, clip=True)
    np.testing.assert_allclose(clipped, 0.01 / 3)


def test_what_was_found():
    np.testing.assert_allclose(metrics.top_found(ROWS, TRUTH, 3), [1, 2 / 3])
    true, false = metrics.positives(ROWS, TRUTH, 0.15)
    assert (true.tolist(), false.tolist()) == ([3, 2], [1, 1])
    assert metrics.positives(TRUTH, TRUTH, 0.0) == (6, 0)


# -- laws ---------------------------------------------------------------------------------

DISTANCES = [
    metrics.wasserstein,
    metrics.kolmogorov_smirnov,
    metrics.jensen_shannon,
    metrics.mean_absolute_error,
]
PSEUDO = [
    metrics.quantile_error, metrics.mean_error, metrics.variance_error,
    lambda a, b: metrics.range_error(a, b, 0.3),
]  # fmt: skip


@pytest.mark.parametrize("distance", [*DISTANCES, *PSEUDO])
@given(distributions(3))
def test_symmetry_triangle_and_zero(distance, three):
    a, b, c = three
    assert distance(a, b) == pytest.approx(distance(b, a), abs=1e-12)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-9
    assert distance(a, a) == 0


@pytest.mark.parametrize("distance", [*DISTANCES, metrics.mean_squared_error])
@given(distributions(2))
def test_only_equals_have_no_distance(distance, two):
    equal = np.allclose(*two, atol=1e-12)
    assert (distance(*two) < 1e-9) == equal


@given(distributions(2))
def test_bounds(two):
    assert metrics.wasserstein(*two) <= metrics.kolmogorov_smirnov(*two) + 1e-12 <= 1 + 2e-12
    assert metrics.jensen_shannon(*two) <= math.sqrt(math.log(2)) + 1e-12
    assert metrics.mean_error(*two) <= metrics.wasserstein(*two) + 1e-12
    assert metrics.kullback_leibler(*two) >= 0


def test_divergence_is_infinite_where_the_impossible_happens():
    assert metrics.kullback_leibler([1, 0], [0.5, 0.5]) == np.inf
    assert metrics.kullback_leibler([0.5, 0.5], [1, 0]) == pytest.approx(math.log(2))
    assert metrics.jensen_shannon([1, 0], [0, 1], base=2) == pytest.approx(1)


# -- shape, units, names --------------------------------------------------------------------


@pytest.mark.parametrize("metric", [*DISTANCES, *PSEUDO, metrics.kullback_leibler])
def test_rows_are_treated_alike(metric):
    rng = np.random.default_rng(8)
    rows, truth = rng.dirichlet(np.ones(9), (4, 3)), rng.dirichlet(np.ones(9))
    found = metric(rows, truth)
    assert found.shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        assert found[i, j] == pytest.approx(metric(rows[i, j], truth))


def test_units_of_the_domain():
    a, b = [0.5, 0.5, 0, 0, 0], [0, 0.5, 0.5, 0, 0]
    assert metrics.wasserstein(a, b, domain=AGES) == pytest.approx(10)
    assert metrics.mean_error(a, b, domain=AGES) == pytest.approx(10)
    c = [0.8, 0, 0, 0, 0.2]
    assert metrics.variance_error(a, c, domain=AGES) == pytest.approx(256 - 25)
    assert metrics.quantile_error(a, b, at=[0.4], domain=AGES) == pytest.approx(10)


def test_metrics_hang_on_the_package():
    assert sv.metrics is metrics
    assert "metrics" in dir(sv)
    assert all(callable(getattr(metrics, n)) for n in metrics.__all__ if n != "DECILES")


# -- bad input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: metrics.wasserstein([0.5, 0.5], [1.0]), "same length; got '?2 and 1"),
        (lambda: metrics.wasserstein([0.5, math.nan], [0.5, 0.5]), "estimate .* finite; got nan"),
        (lambda: metrics.mean_squared_error([0.5, 0.5], [math.inf, 0]), "truth .* finite; got inf"),
        (lambda: metrics.wasserstein([1.5, -0.5], [0.5, 0.5]), "not negative; got -0.5.*norm-sub"),
        (lambda: metrics.wasserstein([0.5, 0.4], [0.5, 0.5]), "sum to 1; got 0.9"),
        (lambda: metrics.mean_error([0.5, 0.4], [0.5, 0.5]), "sum to 1; got 0.9"),
        (lambda: metrics.kolmogorov_smirnov([], []), "at least one share"),
        (lambda: metrics.kolmogorov_smirnov(1.0, [1.0]), "at least one share"),
        (lambda: metrics.mean_squared_error(["a"], [1.0]), "estimate .* numbers"),
        (lambda: metrics.mean_squared_error(np.ones((3, 2)), np.ones((2, 2))), "rows that match"),
        (lambda: metrics.range_error([1.0], [1.0], 0), "width .* between 0 and 1; got 0"),
        (lambda: metrics.range_error([1.0], [1.0], 1), "width .* between 0 and 1; got 1"),
        (lambda: metrics.quantile_error([1.0], [1.0], at=[]), "at .* between 0 and 1"),
        (lambda: metrics.quantile_error([1.0], [1.0], at=[1.0]), "at .* between 0 and 1"),
        (lambda: metrics.jensen_shannon([1.0], [1.0], base=1), "base .* above 1"),
        (lambda: metrics.top_error([1.0], [1.0], 2), "count .* from 1 to 1; got 2"),
        (lambda: metrics.top_found([1.0], [1.0], 0), "count .* from 1 to 1; got 0"),
        (lambda: metrics.subset_error([1.0], [1.0], 2), "count .* from 1 to 1; got 2"),
        (lambda: metrics.positives([1.0], [1.0], math.nan), "threshold .* finite"),
        (lambda: metrics.group_error([1.0], [1.0], [-1]), "groups .* whole numbers from 0"),
        (lambda: metrics.group_error([1.0], [1.0], [0, 1]), "groups .* 1 whole numbers"),
        (lambda: metrics.wasserstein([1.0], [1.0], domain=AGES), "an Interval with 1 bins"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()

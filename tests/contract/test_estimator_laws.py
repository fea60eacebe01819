"""Laws of estimates, for every mechanism and every method that applies to it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.core.errors import InvalidInput, Unfit

WITH_ERRORS = ("unbiased", "norm-sub")
"""A formula and a bootstrap: the errors of the other methods come the same two ways."""


@lru_cache(maxsize=8)
def tally_of(mechanism, seed=1):
    counts = np.random.default_rng(seed).integers(1, 60, mechanism.domain.size)
    return mechanism.simulate(counts, source=sv.Seeded(seed))


@lru_cache(maxsize=8)
def estimates(mechanism):
    rows = sv.methods(mechanism)
    names = [row["method"] for row in rows if row["applies"] == "yes"]
    return {name: sv.estimate(tally_of(mechanism), name) for name in names}


def test_fields(mechanism):
    for name, e in estimates(mechanism).items():
        assert e.shares.shape == (mechanism.domain.size,)
        assert np.isfinite(e.shares).all()
        assert e.n == tally_of(mechanism).n
        assert e.converged is True
        assert (e.method, e.why) == (name, "asked for by name")
        assert (e.iterations, e.history, e.optimality) == (0, (), 0.0)
        with pytest.raises(ValueError, match="read-only"):
            e.shares[0] = 0.0


def test_errors(mechanism):
    for name in WITH_ERRORS:
        e = estimates(mechanism)[name]
        assert e.stderr.shape == e.shares.shape
        assert np.isfinite(e.stderr).all()
        assert e.stderr.min() >= 0
        again = sv.estimate(tally_of(mechanism), name)
        np.testing.assert_array_equal(again.stderr, e.stderr)  # the same reports, the same errors


def test_reports_and_their_tally_say_the_same(mechanism):
    indices = np.random.default_rng(1).integers(0, mechanism.domain.size, 2000)
    reports = mechanism.randomize_indices(indices, sv.Seeded(1))
    one, two = sv.estimate(reports), sv.estimate(mechanism.tally(reports))
    np.testing.assert_array_equal(one.shares, two.shares)


def test_auto_is_a_distribution_and_tells_why(mechanism):
    e = sv.estimate(tally_of(mechanism))
    assert e.method == "norm-sub"
    assert e.why == "few values: the nearest distribution to the unbiased shares"
    assert e.shares.min() >= 0
    assert np.isclose(e.shares.sum(), 1.0)


def test_a_single_total_is_a_share(mechanism):
    for name in WITH_ERRORS:
        e = estimates(mechanism)[name]
        label = mechanism.domain.label(0)
        value = label if not isinstance(label, tuple) else float(np.mean(label))
        share, total = e.share(value), e.total([value])
        assert np.isclose(share.value, total.value)
        assert np.isclose(share.stderr, total.stderr)
        assert share.low < share.value < share.high
        assert np.isclose(share.high - share.low, 2 * 1.959964 * share.stderr)


def test_population_errors_are_larger(mechanism):
    for name in WITH_ERRORS:
        e = estimates(mechanism)[name]
        wider = e.for_population()
        assert wider.about == "population"
        assert np.all(wider.stderr[e.shares > 0] >= e.stderr[e.shares > 0])
        z = np.arange(mechanism.domain.size) % 2.0
        assert wider.linear(z).stderr >= e.linear(z).stderr


def test_no_reports_no_answer(mechanism):
    with pytest.raises(InvalidInput, match="n of tally of .* must be at least 1; got 0"):
        sv.estimate(sv.Tally.empty(mechanism))


def test_unknown_method(mechanism):
    with pytest.raises(Unfit, match="no method 'magic'.*unbiased"):
        sv.estimate(tally_of(mechanism), "magic")

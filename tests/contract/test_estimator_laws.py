"""Laws of estimates, for every mechanism and every method that applies to it."""

from __future__ import annotations

import copy
from functools import cache, wraps

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.core.registry import registered
from support.copies import pickled

WITH_ERRORS = ("unbiased", "norm-sub", "em")
"""A formula, a bootstrap and refits: the errors of the other methods come the same three ways."""


@cache
def tally_of(mechanism, seed=1):
    counts = np.random.default_rng(seed).integers(1, 60, mechanism.domain.size)
    return mechanism.simulate(counts, source=sv.Seeded(seed))


def applying(mechanism):
    """Methods that tell shares, whatever n is (iiw-g needs many reports)."""
    rows = sv.methods(mechanism)
    return [r["method"] for r in rows if r["applies"] == "yes" and r["method"] != "iiw-g"]


@cache
def estimates(mechanism):
    return {name: sv.estimate(tally_of(mechanism), name) for name in applying(mechanism)}


def with_errors(mechanism):
    """ParametricBootstrap only where nothing else gives errors: they take a while."""
    names = WITH_ERRORS[:2] if mechanism.channel().inverse is not None else WITH_ERRORS[2:]
    return {name: e for name, e in estimates(mechanism).items() if name in names}


def test_fields(mechanism):
    for name, e in estimates(mechanism).items():
        assert e.shares.shape == (mechanism.domain.size,)
        assert np.isfinite(e.shares).all()
        assert e.n == tally_of(mechanism).n
        assert e.converged is True, name
        assert e.method == name
        assert e.why.startswith("asked for by name")
        assert e.iterations >= 0
        assert e.optimality >= 0
        assert np.isfinite(e.history).all()
        with pytest.raises(ValueError, match="read-only"):
            e.shares[0] = 0.0


def test_fits_are_distributions(mechanism):
    for name in {"em", "ems", "mle", "adaptive", "hh-admm"} & set(applying(mechanism)):
        e = estimates(mechanism)[name]
        assert e.shares.min() >= 0, name
        assert np.isclose(e.shares.sum(), 1.0, rtol=1e-9), name
        assert e.iterations > 0 or name == "mle" or mechanism.domain.size == 1, name


def test_errors(mechanism):
    for name, e in with_errors(mechanism).items():
        assert e.stderr.shape == e.shares.shape
        assert np.isfinite(e.stderr).all()
        assert e.stderr.min() >= 0
        again = pickled(sv.estimate(tally_of(mechanism), name))
        np.testing.assert_array_equal(again.stderr, e.stderr)  # the same reports, the same errors


def test_copies_are_the_same(mechanism):
    for name, e in estimates(mechanism).items():
        for again in (pickled(e), copy.copy(e), copy.deepcopy(e)):
            assert type(again) is type(e), name
            assert repr(again) == repr(e), name
            np.testing.assert_array_equal(again.shares, e.shares)
            assert not again.shares.flags.writeable
            told = [(x.domain, x.n, x.why, x.history, x.optimality, x.trace) for x in (again, e)]
            assert told[0] == told[1], name


# -- one channel -----------------------------------------------------------------------------------


@pytest.fixture
def channels_made(monkeypatch):
    """Every mechanism that makes a channel, each time that it does."""
    made = []

    def noted(make):
        @wraps(make)
        def wrapper(self):
            made.append(self)
            return make(self)

        return wrapper

    for kind in registered():
        monkeypatch.setattr(kind, "_channel", noted(kind._channel))
    return made


def test_an_estimate_makes_the_channel_once(mechanism, channels_made):
    """Once for each mechanism involved: also those inside another, such as the oracle of wide bins."""
    tally = tally_of(mechanism)
    for name in ("auto", *applying(mechanism)):
        fresh = copy.deepcopy(mechanism)
        del channels_made[:]
        sv.estimate(sv.Tally(fresh, tally.n, tally.cells), name)
        times = [sum(one is other for other in channels_made) for one in channels_made]
        assert max(times) == 1, name


def test_all_methods_share_one_channel(mechanism, channels_made):
    fresh = pickled(mechanism)
    sv.methods(fresh)
    first = fresh.channel()
    assert sum(one is fresh for one in channels_made) == 1
    assert fresh.channel() is first
    assert (fresh == mechanism, hash(fresh)) == (True, hash(mechanism))


def test_reports_and_their_tally_say_the_same(mechanism):
    indices = np.random.default_rng(1).integers(0, mechanism.domain.size, 2000)
    reports = mechanism.randomize_indices(indices, sv.Seeded(1))
    one, two = sv.estimate(reports), sv.estimate(mechanism.tally(reports))
    assert one.method == two.method
    np.testing.assert_array_equal(one.shares, two.shares)  # None and None for a mean only


def test_auto_is_a_distribution_and_tells_why(mechanism):
    e = sv.estimate(tally_of(mechanism))
    if not mechanism.channel().identifies_distribution:
        assert e.shares is None
        assert "these reports identify only" in e.why
        return
    chosen = [row["method"] for row in sv.methods(mechanism) if "distribution" in row["rule"]]
    assert e.method in chosen
    assert e.why
    assert e.shares.min() >= 0
    assert np.isclose(e.shares.sum(), 1.0)


def value_of(label):
    """A value of the domain within what a label names: a category, a bin, or a coordinate's bin."""
    if not isinstance(label, tuple):
        return label
    return (label[0], value_of(label[1])) if isinstance(label[1], tuple) else float(np.mean(label))


def test_a_single_total_is_a_share(mechanism):
    for e in with_errors(mechanism).values():
        label = mechanism.domain.label(0)
        value = value_of(label)
        share, total = e.share(value), e.total([value])
        assert np.isclose(share.value, total.value)
        assert np.isclose(share.stderr, total.stderr)
        assert share.low < share.value < share.high
        assert np.isclose(share.high - share.low, 2 * 1.959964 * share.stderr)


def test_population_errors_are_larger(mechanism):
    for e in with_errors(mechanism).values():
        wider = e.for_population()
        assert wider.about == "population"
        assert np.all(wider.stderr[e.shares > 0] >= e.stderr[e.shares > 0])
        z = np.arange(mechanism.domain.size) % 2.0
        assert wider.linear(z).stderr >= e.linear(z).stderr


def test_no_reports_no_answer(mechanism):
    with pytest.raises(InvalidInput, match="n of tally of .* must be at least 1; got 0"):
        sv.estimate(sv.Tally.empty(mechanism))


def test_unknown_method(mechanism):
    with pytest.raises(Unfit, match="unknown method 'magic'.*(unbiased|em)"):
        sv.estimate(tally_of(mechanism), "magic")

"""Laws of estimates, for every mechanism and every method: :mod:`sottovoce.testing`."""

from __future__ import annotations

import copy
from functools import cache, wraps

import pytest

import sottovoce as sv
from sottovoce.base.errors import Unfit
from sottovoce.core.registry import registered
from sottovoce.testing import ERROR_LAWS, METHOD_LAWS, Trial
from sottovoce.testing.methods import ESTIMATE_LAWS, every_method_that_applies_gives_an_estimate
from support.copies import pickled

WITH_ERRORS = ("unbiased", "norm-sub", "em")
"""A formula, a bootstrap and refits: the errors of the other methods come the same three ways."""


@cache
def trials(mechanism):
    """A trial of each method that estimates shares, whatever n is (iiw-g needs many reports)."""
    rows = sv.methods(mechanism)
    names = [r["method"] for r in rows if r["applies"] == "yes" and r["method"] != "iiw-g"]
    return {name: Trial(name, mechanism) for name in names}


@pytest.mark.parametrize("law", METHOD_LAWS, ids=lambda law: law.name)
def test_law_of_every_method(mechanism, law):
    for trial in trials(mechanism).values():
        law(trial)


@pytest.mark.parametrize("law", ERROR_LAWS, ids=lambda law: law.name)
def test_law_of_errors(mechanism, law):
    """Refits only where nothing else gives errors: they take a while."""
    names = WITH_ERRORS[:2] if mechanism.channel().inverse is not None else WITH_ERRORS[2:]
    for name in names:
        if name in trials(mechanism):
            law(trials(mechanism)[name])


@pytest.mark.parametrize("law", ESTIMATE_LAWS, ids=lambda law: law.name)
def test_law_of_estimates(mechanism, law):
    if law is every_method_that_applies_gives_an_estimate:
        return  # the laws of every method, above
    law(mechanism)


def test_fits_iterate(mechanism):
    for name in {"em", "ems", "mle", "adaptive", "hh-admm"} & set(trials(mechanism)):
        iterations = trials(mechanism)[name].estimate.iterations
        assert iterations > 0 or name == "mle" or mechanism.domain.size == 1, name


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
    tally = Trial("auto", mechanism).tally
    for name in ("auto", *trials(mechanism)):
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


def test_unknown_method(mechanism):
    with pytest.raises(Unfit, match="unknown method 'magic'.*(unbiased|em)"):
        sv.estimate(Trial("auto", mechanism).tally, "magic")

"""Laws of fusion, for every mechanism over an interval.

Fusing one service is estimating it, and reports that are absent at random leave the mean unbiased.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import sottovoce as sv
from conftest import EXAMPLES, name_of
from sottovoce.base.errors import Unfit
from sottovoce.fusion.factors import TableFactor
from sottovoce.fusion.mean import METHODS

OVER_NUMBERS = [m for m in EXAMPLES if isinstance(m.domain, sv.Interval)]
"""With one more: unary encoding over few bins, where many reports have no bit set."""
OVER_NUMBERS.append(sv.mechanism("oue", sv.Interval(0, 1, bins=4), 1.0))

FALSE_ALARM = 6.5
"""Standard errors: 8e-11 for one mean, below 1e-6 for all together."""
PEOPLE = 100_000
PRESENT = 0.5


@pytest.fixture(params=OVER_NUMBERS, ids=map(name_of, OVER_NUMBERS))
def numbers(request):
    return request.param


@lru_cache(maxsize=4)
def held(mechanism, count):
    """Most people in the lowest bins: their mean is far from the middle."""
    size = mechanism.domain.size
    return np.minimum(np.random.default_rng(7).geometric(min(0.7, 8 / size), count) - 1, size - 1)


@lru_cache(maxsize=4)
def one_service(mechanism):
    reports = mechanism.randomize_indices(held(mechanism, 3000), sv.Seeded(1))
    return reports, sv.fuse([mechanism], [reports])


def tells_a_mean(mechanism):
    """Fused or refused: nothing in between."""
    try:
        one_service(mechanism)[1].mean()
    except Unfit as error:
        assert "cannot be fused" in str(error) or "do not identify a mean" in str(error)
        return False
    return True


def test_fusing_one_service_is_estimating_its_mean(numbers):
    if not tells_a_mean(numbers):
        return
    reports, fusion = one_service(numbers)
    plain = sv.estimate(numbers.tally(reports), "unbiased")
    respondents, population = plain.mean(), plain.for_population().mean()
    for method in METHODS:
        fused = fusion.mean(method)
        assert fused.value == pytest.approx(respondents.value, rel=1e-9, abs=1e-12)
        assert fused.services["mean"] == pytest.approx([fused.value], rel=1e-9)
        assert fused.weights == {"service 1": pytest.approx(1.0)}
        assert fused.n == len(reports)
        if exact(numbers):
            assert fused.population_stderr > 0.95 * population.stderr
            assert fused.population_stderr < (1.2 if draws(numbers) else 1.05) * population.stderr
            assert fused.stderr < (1.2 if draws(numbers) else 1.05) * respondents.stderr
        else:  # wide bins: fusion adds a bound on the bias of taking numbers at their middle
            assert fused.stderr > respondents.stderr


def exact(mechanism):
    """Whether nothing is hidden within wide bins."""
    return mechanism.channel().exact_inverse


def draws(mechanism):
    """Whether devices draw what they report about: an estimate takes how many drew what as known,
    and has smaller errors than fusion, which does not."""
    channel = mechanism.channel()
    return channel.conditioned_on(np.full(channel.cells, 1 / channel.cells)) is not channel


def test_fusing_one_service_is_estimating_its_distribution(numbers):
    if not (exact(numbers) and numbers.channel().identifies_distribution):
        return  # many distributions fit equally well, and which is found is a matter of the way
    reports, fusion = one_service(numbers)
    try:
        fused = fusion.distribution(inner="em")
    except Unfit as error:
        assert "cannot be fused" in str(error)
        return
    plain = sv.estimate(reports, "em")
    assert fused.n == plain.n
    assert fused.converged is plain.converged
    assert np.abs(fused.shares - plain.shares).max() < 1e-6


# -- absent at random ------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def absent_at_random(mechanism):
    """Two services of one mechanism, each of which has every other person's report."""
    held_by, random = held(mechanism, PEOPLE), np.random.default_rng(3)
    people = [np.flatnonzero(random.random(PEOPLE) < PRESENT) for _ in range(2)]
    reports = [
        mechanism.randomize_indices(held_by[who], sv.Seeded(seed))
        for seed, who in enumerate(people)
    ]
    fusion = sv.fuse(None, reports, keys=people)
    somewhere = np.unique(np.concatenate(people))
    return fusion, float(mechanism.domain.midpoints[held_by[somewhere]].mean())


def errors(mean, truth):
    """How many standard errors a mean is away from the truth."""
    return abs(mean.value - truth) / mean.stderr


def with_factors(fusion, change):
    """The same reports, with factors changed."""
    wrong = type(fusion)(fusion.aligned)
    wrong.factors = [change(factor) for factor in fusion.factors]
    return wrong


def absent_as_zeros(factor):
    """A fault: an absent report is taken for the empty set, in a table for the cell at place -1."""
    if isinstance(factor, TableFactor):
        return replace(factor, codes=factor.codes % len(factor.table))
    return replace(factor, present=np.ones_like(factor.present))


def test_absent_reports_leave_the_mean_unbiased(numbers):
    if not tells_a_mean(numbers):
        return
    fusion, truth = absent_at_random(numbers)
    absent = [1 - np.mean(factor.present) for factor in fusion.factors]
    assert absent == pytest.approx([1 / 3, 1 / 3], abs=0.02)
    for method in ("population", "ua"):
        assert errors(fusion.mean(method), truth) < FALSE_ALARM
        if exact(numbers):  # with wide bins the error bars hold a bound on the bias
            planted = with_factors(fusion, absent_as_zeros).mean(method)
            assert errors(planted, truth) > FALSE_ALARM, "this test cannot tell a fault"


def empty_set_as_absent(factor):
    """The opposite fault: the empty set is taken for no report."""
    if isinstance(factor, TableFactor):
        return factor
    return replace(factor, present=factor.bits.any(axis=1))


def test_an_empty_set_is_a_report():
    """Four bins at epsilon 1: a fifth of the reports of unary encoding have no bit set."""
    line = sv.Interval(0, 1, bins=4)
    values = np.random.default_rng(9).choice(4, 200_000, p=[0.5, 0.2, 0.15, 0.15])
    services = [sv.mechanism(name, line, 1.0) for name in ("oue", "grr")]
    reports = [m.randomize_indices(values, sv.Seeded(i)) for i, m in enumerate(services)]
    fusion, truth = sv.fuse(services, reports), float(line.midpoints[values].mean())
    empty = ~fusion.factors[0].bits.any(axis=1)
    assert empty.mean() == pytest.approx(0.5 * (1 - 1 / (np.e + 1)) ** 3, abs=0.01)
    for method in METHODS[:2]:
        assert errors(fusion.mean(method), truth) < FALSE_ALARM
        assert errors(with_factors(fusion, empty_set_as_absent).mean(method), truth) > FALSE_ALARM
    assert fusion.mean().services["users"] == [200_000, 200_000]
    alone = sv.fuse_mean(services[:1], reports[:1])
    assert alone.n == 200_000
    assert errors(alone, truth) < FALSE_ALARM

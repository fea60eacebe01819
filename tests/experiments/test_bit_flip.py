"""dBitFlipPM: what it keeps, how far it errs, and how memory and cohorts compare."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.experiments.bit_flip import BitFlip


@pytest.mark.parametrize(("values", "reported"), [(4, 1), (4, 2), (4, 4)])
def test_the_certificate_is_the_worst_ratio_of_all_reports(values, reported):
    """By enumeration of the bits that are reported; a weight less would break the claim."""
    m = BitFlip(values, reported, 1.0)
    other, own = Fraction(m.other, 2**62), 1 - Fraction(m.other, 2**62)
    worst = Fraction(1)
    asked = range(reported)  # the same for all sets of so many values, by symmetry
    for bits in np.ndindex(*[2] * reported):
        chances = []
        for value in range(values):
            each = [own if (v == value) == bool(bit) else other for v, bit in zip(asked, bits, strict=True)]  # fmt: skip
            chances.append(math.prod(each, start=Fraction(1)))
        worst = max(worst, max(chances) / min(chances))
    assert m.certificate().ratio == worst <= exp_bounds(1.0)[0]
    assert worst > exp_bounds(1.0)[0] * (1 - Fraction(1, 10**9))
    less = Fraction(2**62 - m.other + 1, m.other - 1)
    assert (less if reported == 1 else less**2) > exp_bounds(1.0)[1]


@pytest.mark.parametrize("reported", [1, 3, 10])
def test_the_variance_is_that_of_simulated_devices(reported):
    m, random = BitFlip(10, reported, 2.0), np.random.default_rng(reported)
    people, rounds = 500, 600
    values = np.repeat([0, 1], [150, 350])
    found = np.array([m.shares(*m.remember(values, random)) for _ in range(rounds)])
    for value, share in ((0, 0.3), (1, 0.7), (5, 0.0)):
        wanted = m.variance(share) / people
        assert abs(found[:, value].mean() - share) < 6 * math.sqrt(wanted / rounds)
        assert abs(found[:, value].var() / wanted - 1) < 6 * math.sqrt(2 / rounds)
        assert abs(found[:, value].var() / (wanted * 1.6) - 1) > 6 * math.sqrt(2 / rounds) / 1.6


def test_memory_and_cohorts_err_less():
    """100 values, at 2 for all reports: in the mean of 30 windows everything else is better."""
    planned = sv.plan_windows(sv.Categories(100), 30, lifetime=2.0, users=10_000)
    cohorts, memory = (planned.designs[i] for i in (1, 2))
    for reported in (1, 4, 16):
        assert BitFlip(100, reported, 2.0).variance(0.01) > 4 * memory.mean_variance
        assert BitFlip(100, reported, 2.0).variance(0.01) > 4 * cohorts.mean_variance
    all_bits = BitFlip(100, 100, 2.0)
    assert all_bits.variance(0.01) > cohorts.mean_variance
    oracle = sv.mechanism("sue", sv.Categories(100), 2.0)
    assert math.isclose(all_bits.variance(0.0), oracle.channel().support_probabilities.variance(np.zeros(1))[0], rel_tol=1e-9)  # fmt: skip


def test_a_single_bit_has_all_of_epsilon():
    """The published chance for d = 1 spends half: 4.1 times the variance at epsilon 2."""
    m, e = BitFlip(20, 1, 2.0), math.exp(1.0)
    q = 1 / (e + 1)
    published = q * (1 - q) * 20 / (1 - 2 * q) ** 2
    assert 4 < published / m.variance(0.0) < 5.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1, 1.0), "values of BitFlip must be"),
        ((5, 6, 1.0), "reported of BitFlip must be"),
        ((5, 2, 21.0), "epsilon of BitFlip must be"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        BitFlip(*arguments)

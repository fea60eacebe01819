"""Exact privacy: certificates against an independent e^epsilon, samplers against their tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds, log_above
from sottovoce.core.certificate import Certificate
from sottovoce.mechanisms._bytewise_bits import threshold
from support.laws import taylor_exp

EPSILONS = ("0.001", "0.1", "0.5", "1", "2", "4", "8", "16")
SIZES = (2, 3, 10, 100, 1000)
ORACLES = ("grr", "oue", "sue", "olh", "blh", "olh-seeded", "flh", "ss", "hr")


@pytest.mark.parametrize("epsilon", [*EPSILONS, "0.000001", "20", "0.3333333333333333"])
def test_bounds_of_exp_enclose_the_truth(epsilon):
    low, high = exp_bounds(float(epsilon))
    true_low, true_high = taylor_exp(Fraction(epsilon))
    assert low < true_low <= true_high < high
    assert (high - low) / low < Fraction(1, 10**55)
    half_low, half_high = exp_bounds(float(epsilon), 2)
    assert half_low**2 < true_high
    assert true_low < half_high**2


@pytest.mark.parametrize(("name", "epsilon", "size"), [*product(ORACLES, EPSILONS, SIZES)])
def test_certificate_is_at_most_e_epsilon_and_tight(name, epsilon, size):
    mechanism = sv.mechanism(name, sv.Categories(size), float(epsilon))
    ratio = mechanism.certificate().ratio
    limit = taylor_exp(Fraction(epsilon))[0]
    assert ratio <= limit
    assert limit - ratio <= limit * Fraction(1, 10**9)


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("epsilon", [1e-6, 20.0])
def test_ends_of_the_range_of_epsilon(name, epsilon):
    mechanism = sv.mechanism(name, sv.Categories(10), epsilon)
    assert (
        mechanism.certificate().ratio
        <= taylor_exp(Fraction(str(epsilon)) if epsilon > 1 else Fraction(1, 10**6))[0]
    )
    tally = mechanism.simulate(np.arange(1, 11) * 100, source=sv.Seeded(1))
    estimate = sv.estimate(tally, "unbiased")
    assert np.isfinite(estimate.shares).all()
    assert np.isfinite(estimate.stderr).all()


def test_holds_is_sharp():
    assert Certificate(271828182845904523, 10**17).holds(1.0)
    assert not Certificate(271828182845904524, 10**17).holds(1.0)


def test_log_above_never_rounds_down():
    for ratio in (Fraction(3), Fraction(10**18 + 1, 10**18), Fraction(485165195), Fraction(7, 5)):
        above = log_above(ratio)
        assert taylor_exp(Fraction(above))[0] >= ratio
        assert taylor_exp(Fraction(np.nextafter(above, 0)) * (1 - Fraction(1, 10**15)))[0] < ratio


# -- 16-bit tables: all 65,536 words give exactly the table's counts ----------------

ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)


@pytest.mark.parametrize(("epsilon", "size"), [*product((0.1, 0.5, 1, 2, 4, 8), (2, 3, 10, 50))])
def test_randomized_response_over_all_words(epsilon, size, scripted):
    mechanism = sv.mechanism("grr", sv.Categories(size), epsilon, bits=16)
    keep, other = mechanism.weights
    for value in (0, size - 1):
        (answers,) = mechanism.respond_many(np.full(65536, value), scripted(ALL))
        expected = np.full(size, other)
        expected[value] += keep
        np.testing.assert_array_equal(np.bincount(answers, minlength=size), expected)
    worst = Fraction(int(expected.max()), int(expected.min()))
    assert worst == mechanism.certificate().ratio


@pytest.mark.parametrize(("epsilon", "size"), [*product((0.1, 0.5, 1, 2, 4), (2, 5, 9, 40))])
def test_local_hashing_over_all_words(epsilon, size, scripted):
    mechanism = sv.mechanism("olh", sv.Categories(size), epsilon, bits=16)
    keep, other = mechanism.weights
    g, hashes = mechanism.g, mechanism.family.hashes
    for hash_ in {0, hashes // 2, hashes - 1}:
        for value in (0, size - 1):
            if hashes & (hashes - 1):
                word = np.full(65536, hash_, dtype=np.uint64)
            else:  # a power of two takes the top bits
                word = np.full(
                    65536, hash_ << (65 - hashes.bit_length()) if hashes > 1 else 0, dtype=np.uint64
                )
            found, cells = mechanism.respond_many(np.full(65536, value), scripted(word, ALL))
            assert np.all(found == hash_)
            family = mechanism.family
            true = family.inner(family.vector(hash_), int(family.places[value]))
            expected = np.full(g, other)
            expected[true] += keep
            np.testing.assert_array_equal(np.bincount(cells, minlength=g), expected)


@pytest.mark.parametrize(
    ("variant", "epsilon"), [*product(("optimized", "symmetric"), (0.1, 0.5, 1, 2, 4, 8))]
)
def test_unary_encoding_over_all_words(variant, epsilon, scripted):
    """One lane has 256 first bytes and 256 second bytes; one's own bit has 65,536 words."""
    mechanism = sv.mechanism("unary-encoding", sv.Categories(2), epsilon, variant=variant, bits=16)
    own, other = mechanism.weights
    lanes = np.arange(256, dtype=np.uint64)  # byte 0 of the word is value 0's lane
    (sure,) = mechanism.respond_many(
        np.ones(256, dtype=int),
        scripted(np.zeros(256), lanes, np.full(ties_of(mechanism, lanes), 0)),
    )
    set_by_first = int((sure[:, 0] & 1).sum())
    first = threshold(mechanism.weights[1], mechanism.bits)[0]
    by_tie = 0
    for second in range(256):
        word = np.array([first | (((first + 1) % 256) << 8)], dtype=np.uint64)
        (one,) = mechanism.respond_many(
            np.ones(1, dtype=int),
            scripted(np.zeros(1), word, np.array([second << 56], dtype=np.uint64)),
        )
        by_tie += int(one[0, 0] & 1)
    certain = sum(lane < first for lane in range(256))
    assert set_by_first in (certain, certain + 1)
    assert 256 * certain + by_tie == other
    (bits,) = mechanism.respond_many(
        np.zeros(65536, dtype=int),
        scripted(ALL, np.full(65536, (first + 1) % 256 * 257, dtype=np.uint64), np.zeros(0)),
    )
    assert int((bits[:, 0] & 1).sum()) == own


def ties_of(mechanism, words):
    lanes = words.astype("<u8").view(np.uint8).reshape(len(words), 8)[:, : mechanism.domain.size]
    return int((lanes == threshold(mechanism.weights[1], mechanism.bits)[0]).sum())


def test_tables_over_all_words(scripted):
    rng = np.random.default_rng(4)
    for _ in range(50):
        size, cells = rng.integers(2, 6, 2)
        base = rng.multinomial(65536 - 300 * cells, rng.dirichlet(np.full(cells, 5)), size) + 300
        mechanism = sv.mechanism("table", sv.Categories(int(size)), weights=base)
        for value in range(size):
            (answers,) = mechanism.respond_many(np.full(65536, value), scripted(ALL))
            np.testing.assert_array_equal(np.bincount(answers, minlength=cells), base[value])


def test_a_table_whose_sum_is_no_power_of_two_is_exact(scripted):
    mechanism = sv.mechanism("table", sv.Categories(2), weights=[[3, 2], [2, 3]])
    words = np.arange(1000, dtype=np.uint64)
    (answers,) = mechanism.respond_many(np.zeros(1000, dtype=int), scripted(words))
    assert np.bincount(answers).tolist() == [600, 400]
    top = 2**64 - 1  # 2^64 is 1 modulo 5: the last word is drawn again
    (again,) = mechanism.respond_many(np.zeros(1, dtype=int), scripted([top], [4]))
    assert again.tolist() == [1]
    assert mechanism.respond(0, scripted([top], [top], [4])) == (1,)


def test_too_coarse_a_table_is_refused():
    with pytest.raises(
        InvalidInput, match="epsilon of randomized-response must be larger for 1000 values"
    ):
        sv.mechanism("grr", sv.Categories(1000), 0.001, bits=16)
    with pytest.raises(
        InvalidInput, match="bits of randomized-response must be a whole number from 8 to 62"
    ):
        sv.mechanism("grr", sv.Categories(3), 1.0, bits=63)

"""The seeded hash against brute force: one function three times over, uniform, independent.

Chi-square tests prove their own power: the hash passes, and the same cells
with a few percent of them wrong are rejected.  At a level of 1e-10 each, the thousand
tests of this file raise a false alarm less often than once in a million.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.kernels import seeds as kernel
from sottovoce.mechanisms.seeded_hashing import _mix, best_range, hash_one

LEVEL = 1e-10
SAMPLE = 300_000
ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)
SEEDS = [0, 1, 2**32 - 1, 2**32, 2**63 + 5, 2**64 - 1]


def random_reports(rng, n, g):
    return rng.integers(0, 2**64, n, dtype=np.uint64), rng.integers(0, g, n)


# -- the hash ------------------------------------------------------------------------


def test_the_hash_never_changes():
    """Another language, and every later version, must hash alike."""
    assert [hash_one(seed, 7, 1000) for seed in SEEDS] == [403, 742, 649, 586, 555, 8]
    top = [hash_one(2**63 + 5, v, 2**29) for v in (0, 1, 2**32 - 1)]
    assert top == [165617763, 525697162, 207843470]
    assert (_mix(0), _mix(1)) == (0, 0x514E28B7)  # as MurmurHash3 has it


@pytest.mark.parametrize("g", [2, 3, 10, 64, 65537, 2**29])
def test_plain_integers_and_arrays_hash_alike(g):
    rng = np.random.default_rng(g)
    drawn = [*SEEDS, *rng.integers(0, 2**64, 200, dtype=np.uint64).tolist()]
    values = [0, 1, 1000, 2**31, 2**32 - 1]
    pairs = [*product(drawn, values)]
    found = kernel.cells_of(
        np.array([seed for seed, _ in pairs], dtype=np.uint64), np.array([v for _, v in pairs]), g
    )
    assert found.tolist() == [hash_one(seed, value, g) for seed, value in pairs]
    assert 0 <= found.min() <= found.max() < g


@pytest.mark.parametrize("g", [2, 3, 5, 7, 64, 1000, 2**16 + 1, 2**29 - 1, 2**29])
def test_the_range_of_a_cell_is_what_the_hash_sends_there(g):
    cells = np.unique(np.concatenate([np.arange(min(g, 50)), [g // 2, g - 2, g - 1]]))
    _, _, first, width = kernel._prepared(np.zeros(len(cells), dtype=np.uint64), cells, g)
    for y, low, count in zip(cells.tolist(), first.tolist(), width.tolist(), strict=True):
        assert (low * g) >> 32 == ((low + count - 1) * g) >> 32 == y
        assert low == 0 or ((low - 1) * g) >> 32 == y - 1
        assert ((low + count) * g) >> 32 == y + 1


def test_mixing_is_a_bijection():
    """Undone step by step, so that a uniform seed gives an exactly uniform hash."""

    def undo(x):
        for shift, factor in ((16, kernel.FACTORS[1]), (13, kernel.FACTORS[0]), (16, 1)):
            y = x
            for _ in range(32 // shift):
                y = x ^ (y >> shift)
            x = y * pow(factor, -1, 2**32) % 2**32
        return x

    words = np.random.default_rng(1).integers(0, 2**32, 500, dtype=np.uint32)
    mixed = words.copy()
    kernel._mix(mixed)
    assert [undo(x) for x in mixed.tolist()] == words.tolist()


def chi_square_level(joint, cells):
    """The p-value of all ``cells`` combinations being equally likely."""
    seen = np.bincount(joint, minlength=cells)
    expected = len(joint) / cells
    return stats.chi2.sf(((seen - expected) ** 2).sum() / expected, cells - 1)


@pytest.mark.parametrize("g", range(2, 65))
def test_uniform_and_pairwise_independent(g):
    rng = np.random.default_rng(g)
    drawn = rng.integers(0, 2**64, SAMPLE, dtype=np.uint64)
    wrong = rng.random(SAMPLE) < 0.02

    def cells(value):
        return kernel.cells_of(drawn, np.full(SAMPLE, value), g)

    near, far, high, top = (int(v) for v in rng.integers(0, 1024, 4))
    pairs = [(near, near + 1), (far, far + 1024), (high, high ^ (1 << 31)), (top, 2**32 - 1 - top)]
    for u, v in pairs:
        a, b = cells(u), cells(v)
        assert chi_square_level(a, g) > LEVEL
        assert chi_square_level(np.where(wrong, 0, a), g) < LEVEL
        assert chi_square_level(g * a + b, g * g) > LEVEL
        assert chi_square_level(g * a + np.where(wrong, a, b), g * g) < LEVEL


@pytest.mark.parametrize("g", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("values", [(0, 1, 2), (3, 5, 6), (10, 11, 2**31), (0, 2**15, 2**16)])
def test_independent_by_threes(g, values):
    """Supports of u and v given a holder of w involve three hashes; (3, 5, 6) has 3 ^ 5 = 6."""
    rng = np.random.default_rng(g)
    drawn = rng.integers(0, 2**64, SAMPLE, dtype=np.uint64)
    a, b, c = (kernel.cells_of(drawn, np.full(SAMPLE, value), g) for value in values)
    wrong = rng.random(SAMPLE) < 0.02
    assert chi_square_level(g * (g * a + b) + c, g**3) > LEVEL
    tied = np.where(wrong, (a + b) % g, c)
    assert chi_square_level(g * (g * a + b) + tied, g**3) < LEVEL


def test_single_digits_of_a_seed_and_of_a_value_decorrelate():
    """Flipping any one of the 64 or 32 binary digits moves half of all hashes, each digit of them."""
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
    values = np.full(len(drawn), 12345)
    before = kernel.cells_of(drawn, values, 2)
    for digit in range(64):
        after = kernel.cells_of(drawn ^ np.uint64(1 << digit), values, 2)
        assert abs((before != after).mean() - 0.5) < 6.5 * 0.5 / math.sqrt(len(drawn))
    for digit in range(32):
        after = kernel.cells_of(drawn, values ^ (1 << digit), 2)
        assert abs((before != after).mean() - 0.5) < 6.5 * 0.5 / math.sqrt(len(drawn))


# -- counting ------------------------------------------------------------------------


def test_counts_and_bits_by_brute_force():
    rng, g, size = np.random.default_rng(2), 5, 13
    drawn, cells = random_reports(rng, 200, g)
    inside = np.array(
        [
            [hash_one(seed, v, g) == cell for v in range(size)]
            for seed, cell in zip(drawn.tolist(), cells.tolist(), strict=True)
        ]
    )
    assert 0.1 < inside.mean() < 0.3
    counts = kernel.support_counts(drawn, cells, g, size)
    np.testing.assert_array_equal(counts, inside.sum(axis=0))
    packed = kernel.support_bits(drawn, cells, g, size)
    np.testing.assert_array_equal(packed, np.packbits(inside, axis=1, bitorder="little"))


@given(
    st.integers(0, 300),
    st.integers(1, 90),
    st.sampled_from([2, 3, 4, 17, 1000, 2**29]),
    st.integers(0, 2**32 - 1),
)
def test_compiled_supports_are_the_plain_ones(n, size, g, seed):
    drawn, cells = random_reports(np.random.default_rng(seed), n, g)
    small, kernel._SMALL = kernel._SMALL, 0
    try:
        counts = kernel.support_counts(drawn, cells, g, size)
        packed = kernel.support_bits(drawn, cells, g, size)
    finally:
        kernel._SMALL = small
    plain = kernel.support_bits_plain(drawn, cells, g, size)
    np.testing.assert_array_equal(counts, kernel.support_counts_plain(drawn, cells, g, size))
    np.testing.assert_array_equal(packed, plain)
    assert packed.dtype == np.uint8
    unpacked = np.unpackbits(plain, axis=1, count=size, bitorder="little")
    np.testing.assert_array_equal(counts, unpacked.sum(axis=0))


def test_many_chunks_threads_and_blocks(monkeypatch):
    drawn, cells = random_reports(np.random.default_rng(5), 40_001, 3)
    monkeypatch.setattr(kernel, "_CHUNK", 1)  # 256 reports at a time
    counts, packed = (f(drawn, cells, 3, 301) for f in (kernel.support_counts, kernel.support_bits))
    monkeypatch.setattr(kernel, "_PLAIN", 64)  # values, too, in several blocks
    some = slice(0, 500)
    plain = kernel.support_bits_plain(drawn[some], cells[some], 3, 301)
    np.testing.assert_array_equal(packed[some], plain)
    unpacked = np.unpackbits(packed, axis=1, count=301, bitorder="little")
    np.testing.assert_array_equal(counts, unpacked.sum(axis=0))


def test_without_numba_the_plain_versions_serve(monkeypatch):
    monkeypatch.setattr(kernel, "_SMALL", 0)
    monkeypatch.setattr(kernel, "compiled_if_worth", lambda *_: None)
    drawn, cells = random_reports(np.random.default_rng(6), 50, 4)
    np.testing.assert_array_equal(
        kernel.support_counts(drawn, cells, 4, 9), kernel.support_counts_plain(drawn, cells, 4, 9)
    )
    np.testing.assert_array_equal(
        kernel.support_bits(drawn, cells, 4, 9), kernel.support_bits_plain(drawn, cells, 4, 9)
    )


def test_support_bits_of_reports():
    mechanism = sv.mechanism("olh-seeded", sv.Categories(21), 1.0)
    reports = mechanism.randomize_indices(np.arange(420) % 21, sv.Seeded(1))
    packed = mechanism.support_bits(reports[100:200])
    assert packed.shape == (100, 3)
    unpacked = np.unpackbits(packed, axis=1, count=21, bitorder="little").astype(bool)
    for v in range(21):
        np.testing.assert_array_equal(unpacked[:, v], mechanism.supports(reports[100:200], v))
    part = mechanism.tally(reports[100:200]).cells.reshape(-1, 2)
    np.testing.assert_array_equal(part[:, 0], unpacked.sum(axis=0))
    assert mechanism.support_bits(reports[:0]).shape == (0, 3)


# -- the mechanism --------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "g"), [*product((0.1, 0.5, 1, 2, 4), (2, 3, 8, 50))])
def test_the_response_over_all_words(epsilon, g, scripted):
    mechanism = sv.mechanism("olh-seeded", sv.Categories(9), epsilon, hash_range=g, bits=16)
    keep, other = mechanism.weights
    assert mechanism.certificate().ratio * other == keep + other
    for seed, value in ((0, 0), (2**64 - 1, 8), (123456789 << 20, 4)):
        same = np.full(65536, seed, dtype=np.uint64)
        seeds, cells = mechanism.respond_many(np.full(65536, value), scripted(same, ALL))
        assert np.all(seeds == np.uint64(seed))
        expected = np.full(g, other)
        expected[hash_one(seed, value, g)] += keep
        np.testing.assert_array_equal(np.bincount(cells, minlength=g), expected)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.5, 1, 2, 3, 4, 6, 8, 20])
def test_best_range_has_the_least_variance(epsilon):
    e, best = math.exp(epsilon), best_range(epsilon)

    def variance(g):
        p, q = e / (e + g - 1), 1 / g
        return q * (1 - q) / (p - q) ** 2

    others = {*range(2, 200), *range(max(2, best - 100), best + 100)}
    assert variance(best) <= min(map(variance, others)) * (1 + 1e-9)


def test_supports_of_one_report_are_independent():
    """Given the sender's value, all correlations of supports vanish; 4% of copies would show."""
    mechanism = sv.mechanism("olh-seeded", sv.Categories(24), 1.0)
    reports = mechanism.randomize_indices(np.full(SAMPLE, 5), sv.Seeded(1))
    packed = mechanism.support_bits(reports)
    bits = np.unpackbits(packed, axis=1, count=24, bitorder="little").astype(float)
    support_probabilities = mechanism.channel().support_probabilities
    expected = np.where(np.arange(24) == 5, support_probabilities.p, support_probabilities.q)
    errors = (bits.mean(axis=0) - expected) / np.sqrt(expected * (1 - expected) / SAMPLE)
    assert np.abs(errors).max() < 6

    def level(rows):
        scores = np.corrcoef(rows, rowvar=False)[np.triu_indices(24, 1)] * math.sqrt(SAMPLE)
        return stats.chi2.sf(scores @ scores, len(scores))

    assert level(bits) > LEVEL
    copied = np.random.default_rng(2).random(SAMPLE) < 0.04
    bits[copied, 3] = bits[copied, 4]
    assert level(bits) < LEVEL


def test_drawn_reports_have_the_error_that_is_told():
    """Reports, not the simulated law: shares and totals over 400 surveys."""
    mechanism = sv.mechanism("olh-seeded", sv.Categories(50), 1.0)
    values = np.repeat(np.arange(50), np.arange(50) * 2)
    true = np.bincount(values, minlength=50) / len(values)
    source, ratios, totals = sv.Seeded(4), [], []
    for _ in range(400):
        e = sv.estimate(mechanism.randomize_indices(values, source), "unbiased")
        ratios.append(((e.shares - true) ** 2).mean() / (e.stderr**2).mean())
        total = e.total(range(0, 50, 2))
        totals.append((total.value - true[::2].sum()) / total.stderr)
    assert abs(np.mean(ratios) - 1) < 0.05
    assert abs(np.var(totals) - 1) < 6 * math.sqrt(2 / 400)


def test_never_worse_than_unary_encoding_by_more_than_rounding():
    for epsilon in (0.5, 1, 2, 3, 4, 8):
        nobody = np.zeros(100)
        seeded = sv.mechanism("olh-seeded", sv.Categories(100), epsilon).variance(nobody, 1)[0]
        unary = sv.mechanism("oue", sv.Categories(100), epsilon).variance(nobody, 1)[0]
        assert unary * (1 - 1e-9) < seeded < 1.03 * unary


@pytest.mark.parametrize("epsilon", [1e-6, 20.0])
@pytest.mark.parametrize("size", [1, 2, 30])
def test_ends_of_the_range(epsilon, size):
    mechanism = sv.mechanism("olh-seeded", sv.Categories(size), epsilon)
    values = np.arange(6000) % size
    e = sv.estimate(mechanism.randomize(values, source=sv.Seeded(1)), "unbiased")
    true = np.bincount(values) / len(values)
    assert np.all(np.abs(e.shares - true) <= 6 * e.stderr)
    if epsilon == 20.0:
        assert mechanism.g == best_range(20.0) == 485165196
        assert np.abs(e.shares - true).max() < 0.1
        assert e.stderr.max() < 0.02


def test_options_are_checked():
    with pytest.raises(
        InvalidInput,
        match="hash_range of seeded-hashing must be a whole number from 2 to 536870912; got 1",
    ):
        sv.mechanism("olh-seeded", sv.Categories(10), 1.0, hash_range=1)
    for wrong in (2**29 + 1, 2.5, True, "4"):
        with pytest.raises(InvalidInput, match="hash_range of seeded-hashing must be a whole"):
            sv.mechanism("olh-seeded", sv.Categories(10), 1.0, hash_range=wrong)
    with pytest.raises(InvalidInput, match="such that a tally has at most 2500000 cells"):
        sv.mechanism("olh-seeded", sv.Categories(1_250_001), 1.0)
    with pytest.raises(
        InvalidInput, match="epsilon of seeded-hashing must be larger for 50 values"
    ):
        sv.mechanism("olh-seeded", sv.Categories(10), 0.0001, hash_range=50, bits=8)
    with pytest.raises(InvalidInput, match="bits of seeded-hashing must be a whole number from 8"):
        sv.mechanism("olh-seeded", sv.Categories(10), 1.0, bits=7)
    seeded = sv.mechanism("olh-seeded", sv.Categories(10), 1.0)
    with pytest.raises(InvalidInput, match="column 'cell' .* must be from 0 to 3; got 4"):
        sv.Reports(seeded, {"seed": np.array([2**64 - 1], dtype="u8"), "cell": np.array([4])})
    with pytest.raises(InvalidInput, match="column 'seed' .* from 0 to 18446744073709551615"):
        sv.Reports(seeded, {"seed": np.array([-1]), "cell": np.array([0])})

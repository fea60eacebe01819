"""Hadamard response against all of its draws, and its transform against the matrix of signs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import linalg, stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.kernels.hadamard import parity, random_rows, walsh_hadamard
from sottovoce.mechanisms.hadamard_response import best_count, filled, rows_for
from support.documents import read_again, with_weights

FALSE_ALARM = 1e-7
ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)
SMALL = [(2, 1), (3, 1), (7, 1), (8, 1), (5, 2), (9, 3), (12, 2), (4, 4)]


def plus_rows(mechanism, value):
    """The rows of a value's block where scipy's matrix is plus in its column."""
    b = mechanism.rows_a_block
    column, block = divmod(value, mechanism.block_count)
    signs = linalg.hadamard(b)[:, column + 1]
    return {block * b + y for y in range(b) if signs[y] == 1}


def exact_table(mechanism):
    """P[y | v] as fractions: keep to one's own plus rows, or any row at all."""
    keep = Fraction(mechanism.weights[0], 2**mechanism.bits)
    rows, table = mechanism.cells, []
    for v in range(mechanism.domain.size):
        own = plus_rows(mechanism, v)
        table.append([(y in own) * keep / len(own) + (1 - keep) / rows for y in range(rows)])
    return table


# -- the matrix of signs -------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 4, 8, 64])
def test_transform_is_the_matrix(order):
    matrix, rng = linalg.hadamard(order), np.random.default_rng(1)
    array = rng.normal(size=(3, order))
    kept = array.copy()
    np.testing.assert_allclose(walsh_hadamard(array), array @ matrix, atol=1e-12)
    np.testing.assert_array_equal(array, kept)
    rows, columns = np.divmod(np.arange(order**2), order)
    np.testing.assert_array_equal(1 - 2 * parity(rows, columns), matrix.ravel())


def test_random_rows_follow_the_law_and_no_other():
    """Chi-square over eight rows for every column by itself; columns 2% apart are told apart."""
    rng, n = np.random.default_rng(1), 400_000
    for column in range(8):
        counts = np.zeros((1, 8), dtype=np.int64)
        counts[0, column] = n
        seen = random_rows(counts, rng).ravel()
        plus = linalg.hadamard(8)[:, column] == 1
        assert np.all(seen[~plus] == 0)
        right = np.full(plus.sum(), n / plus.sum())
        tilted = right * np.where(np.arange(plus.sum()) % 2, 0.98, 1.02)
        assert stats.chisquare(seen[plus], right).pvalue > FALSE_ALARM
        assert stats.chisquare(seen[plus], tilted).pvalue < FALSE_ALARM


def test_random_rows_of_several_blocks():
    counts = np.random.default_rng(2).integers(0, 100, (5, 16))
    seen = random_rows(counts, np.random.default_rng(3))
    np.testing.assert_array_equal(seen.sum(axis=1), counts.sum(axis=1))
    alone = random_rows(np.array([[0, 70], [30, 0]]), np.random.default_rng(4))
    assert alone[0].tolist() == [70, 0]
    assert alone[1].sum() == 30


# -- the mechanism against all of its draws ------------------------------------------------


@pytest.mark.parametrize(("size", "count"), SMALL)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_certificate_channel_and_inverse(size, count, epsilon):
    mechanism = sv.HadamardResponse(sv.Categories(size), epsilon, block_count=count)
    table = exact_table(mechanism)
    assert all(sum(row) == 1 for row in table)
    worst = max(max(column) / min(column) for column in zip(*table, strict=True))
    assert worst == mechanism.certificate().ratio
    dense = np.array(table, dtype=float).T
    np.testing.assert_allclose(mechanism.channel().dense(), dense, atol=1e-15)
    matrix = np.stack([mechanism.channel().inverse.adjoint(unit) for unit in np.eye(size)])
    np.testing.assert_allclose(matrix @ dense, np.eye(size), atol=1e-12)


@pytest.mark.parametrize(("size", "count"), SMALL)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_over_all_words(size, count, epsilon, scripted):
    """All 65,536 first words with every row: exactly the table."""
    mechanism = sv.HadamardResponse(sv.Categories(size), epsilon, block_count=count, bits=16)
    rows, (keep,) = mechanism.cells, mechanism.weights
    for value in (0, size - 1):
        own, seen = plus_rows(mechanism, value), np.zeros(rows, dtype=np.int64)
        for row in range(rows):
            shift = 65 - rows.bit_length() if rows & (rows - 1) == 0 else 0
            word = np.full(65536, row << shift, dtype=np.uint64)
            (answers,) = mechanism.respond_many(np.full(65536, value), scripted(ALL, word))
            counted = np.bincount(answers, minlength=rows)
            (kept,) = mechanism.respond(value, scripted([0], word[:1]))
            assert kept in own
            assert counted[row] == 65536 - keep * (kept != row)
            assert counted[kept] == keep + (65536 - keep) * (kept == row)
            seen += counted
        expected = [rows * 65536 * chance for chance in exact_table(mechanism)[value]]
        assert seen.tolist() == expected


@pytest.mark.parametrize(("size", "count"), [(7, 1), (9, 3)])
def test_reports_and_simulations_follow_the_law_and_no_other(size, count):
    """Chi-square; the law of an epsilon larger by 2% is rejected."""
    laws = [sv.HadamardResponse(sv.Categories(size), e, block_count=count) for e in (1.0, 1.02)]
    n, statistics = 600_000, np.zeros((2, 2))
    for v in range(size):
        drawn = laws[0].tally(laws[0].randomize_indices(np.full(n, v), sv.Seeded(v))).cells
        simulated = laws[0].simulate(n * np.eye(size, dtype=int)[v], source=sv.Seeded(v)).cells
        for i, law in enumerate(laws):
            expected = n * np.array(exact_table(law)[v], dtype=float)
            for j, seen in enumerate((drawn, simulated)):
                statistics[i, j] += ((seen - expected) ** 2 / expected).sum()
    right, wrong = stats.chi2.sf(statistics, size * (laws[0].cells - 1))
    assert right.min() > FALSE_ALARM
    assert wrong.max() < FALSE_ALARM


def test_few_people_are_simulated_by_their_reports():
    mechanism = sv.mechanism("hr", sv.Categories(1000), 1.0)
    tally = mechanism.simulate(np.ones(1000, dtype=int), source=sv.Seeded(1))
    assert tally.n == 1000
    np.testing.assert_array_equal(
        tally.cells,
        mechanism.tally(mechanism.randomize_indices(np.arange(1000), sv.Seeded(1))).cells,
    )


# -- formulas ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
def test_one_block_is_pure(epsilon):
    mechanism = sv.HadamardResponse(sv.Categories(12), epsilon, block_count=1)
    channel, e = mechanism.channel(), math.exp(epsilon)
    assert mechanism.rows_a_block == mechanism.cells == 16
    assert math.isclose(channel.support_probabilities.p, e / (e + 1), rel_tol=1e-12)
    assert channel.support_probabilities.q == 0.5
    shares = np.random.default_rng(1).dirichlet(np.ones(12))
    expected = ((e + 1) / (e - 1)) ** 2 - shares
    np.testing.assert_allclose(channel.variance(shares), expected, rtol=1e-12)
    np.testing.assert_allclose(channel.support_probabilities.variance(shares), expected, rtol=1e-12)


@pytest.mark.parametrize(("size", "count"), [(20, 3), (100, 7), (9, 9)])
def test_blocks_have_the_probabilities_of_the_paper(size, count):
    mechanism, e = sv.HadamardResponse(sv.Categories(size), 2.0, block_count=count), math.exp(2.0)
    b, rows = mechanism.rows_a_block, mechanism.cells
    s = b // 2
    z = s * e + rows - s
    column = mechanism.channel().dense()[:, 0]
    np.testing.assert_allclose(sorted(set(column.round(12))), [1 / z, e / z], rtol=1e-9)
    assert math.isclose(1 / mechanism.channel()._keep, z / (s * (e - 1)), rel_tol=1e-12)
    assert mechanism.channel().support_probabilities is None
    even = np.full(size, 1 / size)
    nb = mechanism.block_count
    about = (e - 1 + 2 * nb) ** 2 / (nb * (e - 1) ** 2) - 1 / size
    weighted = mechanism.variance(even, 1).mean()
    assert math.isclose(weighted, about, rel_tol=0.15)  # the last block is not full


@pytest.mark.parametrize(
    ("epsilon", "size"), [*product((0.1, 1, 1.3, 1.4, 2, 3, 5, 8, 20), (2, 5, 31, 32, 100, 700))]
)
def test_default_count_is_the_best(epsilon, size):
    """Of all counts, by the mean variance over values that fill their blocks evenly."""
    found, gain = best_count(size, epsilon), math.expm1(epsilon)
    assert found == sv.mechanism("hr", sv.Categories(size), epsilon).block_count

    def variance(count):
        return (gain + 2 * count) ** 2 / count

    possible = {filled(size, rows_for(size, count)) for count in range(1, size + 1)}
    assert variance(found) == min(map(variance, possible))
    assert epsilon > 1 or found == 1


def test_blocks_pay_at_large_epsilon():
    """Plain: 38 times the variance of unary encoding at epsilon 5; in blocks about twice."""
    domain, even = sv.Categories(1000), np.full(1000, 1 / 1000)
    base = sv.mechanism("oue", domain, 5.0).variance(even, 1).mean()
    plain = sv.mechanism("hr", domain, 5.0, block_count=1).variance(even, 1).mean()
    blocks = sv.mechanism("hr", domain, 5.0).variance(even, 1).mean()
    assert 30 < plain / base < 40
    assert 1.5 < blocks / base < 2.5
    assert math.isclose(blocks, 8 / math.expm1(5.0), rel_tol=0.1)


def test_rows_and_blocks():
    """b - 1 values a block; a count is lowered to the blocks that are filled, once."""
    for size, count in product(range(1, 70), range(1, 70)):
        if count <= size:
            rows = rows_for(size, count)
            assert rows & (rows - 1) == 0
            assert count * (rows - 1) >= size > count * (rows // 2 - 1)
            nb = filled(size, rows)
            assert nb <= count
            assert (nb - 1) * (rows - 1) < size <= nb * (rows - 1)
            assert rows_for(size, nb) == rows
    assert rows_for(5, 1) == 2 ** math.ceil(math.log2(5 + 1))
    domain = sv.Categories(1024)
    eight = sv.HadamardResponse(domain, 2.0, block_count=8)
    assert (eight.block_count, eight.rows_a_block) == (5, 256)
    assert eight == sv.HadamardResponse(domain, 2.0, block_count=5)


# -- edges ---------------------------------------------------------------------------------


def test_one_and_two_values():
    one = sv.mechanism("hr", sv.Categories(1), 1.0)
    assert (one.cells, one.certificate().ratio) == (2, 1)
    assert one.tally(one.randomize([0, 0, 0])).n == 3
    for epsilon in (1e-6, 1.0, 20.0):
        two = sv.mechanism("hr", sv.Categories(2), epsilon)
        assert two.certificate().holds(epsilon)
        e = sv.estimate(two.simulate([600_000, 400_000], source=sv.Seeded(1)), "unbiased")
        assert abs(e.shares[0] - 0.6) < 6 * e.stderr[0] + 1e-6


def test_wrong_options():
    domain = sv.Categories(5)
    for wrong in (0, 6, 2.0, True, "2"):
        with pytest.raises(InvalidInput, match="block_count of hadamard-response .* from 1 to 5"):
            sv.HadamardResponse(domain, 1.0, block_count=wrong)
    with pytest.raises(InvalidInput, match="bits of hadamard-response"):
        sv.HadamardResponse(domain, 1.0, bits=63)
    with pytest.raises(InvalidInput, match="such that a tally has at most 2500000 cells"):
        sv.HadamardResponse(sv.Categories(2**21), 1.0)
    with pytest.raises(InvalidInput, match="epsilon .* larger for 8 rows .* 8 bits"):
        sv.HadamardResponse(domain, 1e-3, bits=8)


@pytest.mark.parametrize("weights", [{"keep": 0}, {"keep": 2**62}, {"keep": -1}, {"own": 5}, [5]])
def test_wrong_weights(weights):
    document = sv.mechanism("hr", sv.Categories(40), 1.0).document()
    with pytest.raises(InvalidInput, match="of hadamard-response must be"):
        read_again(with_weights(document, weights))


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_a_million_values(epsilon):
    """Tallied and decoded with all errors, one block or several, in about a second."""
    size = 1_000_000
    mechanism = sv.mechanism("hr", sv.Categories(size), epsilon)
    indices = np.arange(1_000_000) % 1000
    reports = mechanism.randomize_indices(indices, sv.Seeded(1))
    e = sv.estimate(mechanism.tally(reports), "unbiased")
    truth = np.bincount(indices, minlength=size) / len(indices)
    errors = (e.shares - truth) / e.stderr
    assert abs(errors.std() - 1) < 0.01
    assert np.abs(errors).max() < 7

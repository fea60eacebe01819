"""Subset selection against all of its reports, and uniform subsets against all of their draws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.kernels import bits, subsets
from sottovoce.mechanisms._uniform_subsets import UniformSubsets, best_start
from sottovoce.mechanisms.subset_selection import best_size
from support.documents import read_again, with_weights

FALSE_ALARM = 1e-7
ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)
SMALL = [(2, 1), (3, 1), (3, 2), (5, 2), (5, 3), (6, 5), (7, 3)]


def exact_table(mechanism):
    """P[S | v] as fractions, for every value v (rows) and every set S of k values."""
    d, k, own = mechanism.domain.size, mechanism.k, mechanism.weights[0]
    p = Fraction(own, 2**mechanism.bits)
    sets = list(combinations(range(d), k))
    inside, outside = p / math.comb(d - 1, k - 1), (1 - p) / math.comb(d - 1, k)
    return sets, [[inside if v in chosen else outside for chosen in sets] for v in range(d)]


def sets_of(reports, size):
    return np.unpackbits(reports, axis=1, count=size, bitorder="little")


# -- the mechanism against all of its reports ------------------------------------------


@pytest.mark.parametrize(("size", "k"), SMALL)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_certificate_and_channel_are_those_of_all_reports(size, k, epsilon):
    mechanism = sv.SubsetSelection(sv.Categories(size), epsilon, subset_size=k)
    sets, table = exact_table(mechanism)
    assert all(sum(row) == 1 for row in table)
    worst = max(max(column) / min(column) for column in zip(*table, strict=True))
    assert worst == mechanism.certificate().ratio
    dense = mechanism.channel().dense()
    for v, u in product(range(size), repeat=2):
        inside = sum(w for chosen, w in zip(sets, table[v], strict=True) if u in chosen)
        assert math.isclose(dense[2 * u, v], inside, rel_tol=1e-12)
        assert math.isclose(dense[2 * u + 1, v], 1 - inside, rel_tol=1e-12)
    support_probabilities, e = mechanism.channel().support_probabilities, math.exp(epsilon)
    p = k * e / (k * e + size - k)
    assert math.isclose(support_probabilities.p, p, rel_tol=1e-12)
    q = p * (k - 1) / (size - 1) + (1 - p) * k / (size - 1)
    assert math.isclose(support_probabilities.q, q, rel_tol=1e-12)


@pytest.mark.parametrize(("size", "k"), SMALL)
def test_variance_is_that_of_all_reports(size, k):
    """Members are tied to each other: totals need the covariances of sets of one size."""
    mechanism = sv.SubsetSelection(sv.Categories(size), 1.3, subset_size=k)
    channel, rng = mechanism.channel(), np.random.default_rng(1)
    sets, table = exact_table(mechanism)
    members = np.array([[v in chosen for v in range(size)] for chosen in sets], dtype=float)
    added = (members - channel.support_probabilities.q) / (
        channel.support_probabilities.p - channel.support_probabilities.q
    )
    law, shares = np.array(table, dtype=float), rng.dirichlet(np.ones(size))

    def brute(z):
        cell_weights = added @ z
        return float(shares @ (law @ cell_weights**2 - (law @ cell_weights) ** 2))

    frequencies = channel.forward(shares)
    for z in [*np.eye(size), np.ones(size), *rng.normal(size=(5, size))]:
        found = channel.variance_of(z, frequencies, shares)
        np.testing.assert_allclose(found, brute(z), rtol=1e-9, atol=1e-12)
    units = [brute(z) for z in np.eye(size)]
    np.testing.assert_allclose(channel.variance(shares), units, rtol=1e-9)
    assert channel.independent is False


@pytest.mark.parametrize(("size", "k"), [(5, 2), (5, 3), (4, 1)])
def test_reports_follow_the_law_and_no_other(size, k):
    """Chi-square over all sets; the law of an epsilon larger by 2% is rejected."""
    mechanism = sv.SubsetSelection(sv.Categories(size), 1.0, subset_size=k)
    wrong = sv.SubsetSelection(sv.Categories(size), 1.02, subset_size=k)
    n, codes = 400_000, 2 ** np.arange(size)
    statistics = np.zeros(2)
    for v in range(size):
        reports = mechanism.randomize_indices(np.full(n, v), sv.Seeded(v)).columns["bits"]
        seen = np.bincount(sets_of(reports, size) @ codes, minlength=2**size)
        for i, law in enumerate((mechanism, wrong)):
            sets, table = exact_table(law)
            found = seen[[sum(1 << u for u in chosen) for chosen in sets]]
            assert found.sum() == n
            expected = n * np.array(table[v], dtype=float)
            statistics[i] += ((found - expected) ** 2 / expected).sum()
    freedom = size * (math.comb(size, k) - 1)
    right, other = stats.chi2.sf(statistics, freedom)
    assert right > FALSE_ALARM
    assert other < FALSE_ALARM


class Then:
    """Prepared words at the first call, another source's afterwards."""

    secure = False

    def __init__(self, first, source):
        self.first, self.source, self.drawn = np.asarray(first, dtype=np.uint64), source, 0

    def words(self, count):
        self.drawn += count
        if self.first is None:
            return self.source.words(count)
        assert count == len(self.first)
        first, self.first = self.first, None
        return first


@pytest.mark.parametrize(("epsilon", "size"), [*product((0.1, 1, 2, 4), (2, 3, 10, 40))])
def test_own_value_over_all_words(epsilon, size):
    mechanism = sv.SubsetSelection(sv.Categories(size), epsilon, bits=16)
    for value in (0, size - 1):
        source = Then(ALL, sv.Seeded(1))
        (packed,) = mechanism.respond_many(np.full(65536, value), source)
        chosen = sets_of(packed, size)
        assert chosen[:, value].sum() == mechanism.weights[0]
        assert np.all(chosen.sum(axis=1) == mechanism.k)


@pytest.mark.parametrize(("size", "k"), [(2, 1), (9, 4), (70, 20), (70, 60)])
def test_words_depend_neither_on_the_value_nor_on_being_in(size, k):
    mechanism = sv.SubsetSelection(sv.Categories(size), 1.0, subset_size=k)
    for seed in range(30):
        drawn = set()
        for value, word in product((0, 1, size - 1), (0, 2**64 - 1)):
            source = Then([word], sv.Seeded(seed))
            (packed,) = mechanism.respond(value, source)
            assert (packed[value // 8] >> value % 8 & 1) == (word == 0)
            drawn.add(source.drawn)
        assert len(drawn) == 1
        assert min(drawn) >= mechanism.words_per_report


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 66, 128, 129])
def test_sets_at_the_borders_of_words(size):
    """The last value may begin a word of its own; each set has k members, each value its turn."""
    for k in {1, max(1, size // 3), max(1, size - 1)}:
        mechanism = sv.SubsetSelection(sv.Categories(size), 1.0, subset_size=k)
        for value in {0, size // 2, size - 1}:
            indices = np.full(3000, value)
            chosen = sets_of(mechanism.respond_many(indices, sv.Seeded(2))[0], size)
            assert np.all(chosen.sum(axis=1) == k)
            assert size == 1 or np.all((chosen.mean(axis=0) > 0) & (chosen.mean(axis=0) < 1))
            (alone,) = mechanism.respond(value, sv.Seeded(3))
            assert int.from_bytes(alone, "little").bit_count() == k


def test_shares_sum_to_one():
    mechanism = sv.mechanism("ss", sv.Categories(100), 1.0)
    e = sv.estimate(mechanism.simulate(np.arange(100) * 50, source=sv.Seeded(1)), "unbiased")
    assert math.isclose(e.shares.sum(), 1.0, rel_tol=1e-12)
    assert e.total(range(100)).stderr == 0.0


# -- choices ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "size"), [*product((1e-6, 0.1, 0.5, 1, 2, 4, 8, 20), (2, 3, 4, 10, 101, 1024))]
)
def test_default_size_is_the_best(epsilon, size):
    e = math.exp(epsilon)

    def variance(k):
        p = k * e / (k * e + size - k)
        q = p * (k - 1) / (size - 1) + (1 - p) * k / (size - 1)
        return (q * (1 - q) + (p - q) * (1 - p - q) / size) / (p - q) ** 2

    found = best_size(size, epsilon)
    assert variance(found) <= min(map(variance, range(1, size))) * (1 + 1e-6)
    assert sv.mechanism("ss", sv.Categories(size), epsilon).subset_size == found


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("size", [3, 20, 1000])
def test_never_worse_than_others_for_rare_values(epsilon, size):
    domain, rare = sv.Categories(size), np.eye(size)[0]
    mine = sv.mechanism("ss", domain, epsilon).variance(rare, 1)[1]
    for name in ("grr", "oue", "sue", "olh"):
        assert mine <= sv.mechanism(name, domain, epsilon).variance(rare, 1)[1] * (1 + 1e-9)


def test_one_value_chosen_is_randomized_response():
    for size, epsilon in ((2, 1.0), (5, 3.0), (9, 6.0)):
        subset = (
            sv.SubsetSelection(sv.Categories(size), epsilon, subset_size=1)
            .channel()
            .support_probabilities
        )
        response = (
            sv.RandomizedResponse(sv.Categories(size), epsilon).channel().support_probabilities
        )
        assert math.isclose(subset.p, response.p, rel_tol=1e-12)
        assert math.isclose(subset.q, response.q, rel_tol=1e-12)


@pytest.mark.parametrize(("lanes", "size"), [(1023, 275), (1023, 386), (63, 24), (4095, 1101)])
def test_the_start_saves_words(lanes, size, recording):
    """Close to the fewest words, tries counted as half a word, of all sixteen starts."""

    def work(start):
        plan, source = UniformSubsets(lanes, size, start), recording(sv.Seeded(1))
        plan.many(300, source)
        drawn = len(plan.digits) * plan.width
        words = sum(len(call) for call in source.calls) / 300
        return drawn + (words - drawn) * 64 // subsets.lane_bits(lanes) / 2

    assert work(best_start(lanes, size)) <= 1.1 * min(map(work, range(16)))


def test_wrong_options():
    domain = sv.Categories(5)
    for wrong in (0, 5, 2.0, True, "2"):
        with pytest.raises(InvalidInput, match="subset_size of subset-selection .* from 1 to 4"):
            sv.SubsetSelection(domain, 1.0, subset_size=wrong)
    with pytest.raises(InvalidInput, match="subset_size .* from 1 to 1"):
        sv.SubsetSelection(sv.Categories(1), 1.0, subset_size=2)
    with pytest.raises(InvalidInput, match="bits of subset-selection"):
        sv.SubsetSelection(domain, 1.0, bits=7)
    with pytest.raises(InvalidInput, match="epsilon .* larger for 2 of 5 values .* 8 bits"):
        sv.SubsetSelection(domain, 1e-5, bits=8)


@pytest.mark.parametrize(
    "weights",
    [
        {"own": 2**62, "start": 0}, {"own": 2**61, "start": 16}, {"own": 2**60, "start": 4},
        {"own": 0, "start": 0}, {"own": 2**61}, {"own": 2**61, "start": -1}, [2**61, 4],
    ],
)  # fmt: skip
def test_wrong_weights(weights):
    document = sv.mechanism("ss", sv.Categories(40), 1.0).document()
    with pytest.raises(InvalidInput, match="of subset-selection must be"):
        read_again(with_weights(document, weights))


def test_any_start_is_the_same_mechanism_to_its_reports():
    """Where sets start from is published with the weights; the law does not depend on it."""
    document = sv.mechanism("ss", sv.Categories(40), 1.0).document()
    for start in range(16):
        document["weights"]["start"] = str(start)
        mechanism = read_again(document)
        reports = mechanism.randomize_indices(np.zeros(2000, dtype=int), sv.Seeded(start))
        chosen = sets_of(reports.columns["bits"], 40)
        assert np.all(chosen.sum(axis=1) == mechanism.k)
        assert mechanism.certificate().ratio <= exp_bounds(1.0)[0]


# -- uniform subsets ---------------------------------------------------------------------


@pytest.mark.parametrize("start", range(1, 16))
def test_lanes_over_all_words(start, scripted):
    """Four lanes, four bits each: of all 65,536 draws a lane is set in start of 16, independently."""
    plan = UniformSubsets(4, 2, start)
    patterns = np.array([*product(range(16), repeat=len(plan.digits))], dtype=np.uint64)
    members = plan._lanes_of_many(len(patterns), scripted(patterns)).ravel()
    seen = np.bincount(members.astype(int), minlength=16) * 16 ** (4 - len(plan.digits))
    expected = [
        start ** set_.bit_count() * (16 - start) ** (4 - set_.bit_count()) for set_ in range(16)
    ]
    assert seen.tolist() == expected


def replay(begin, tries, size):
    """Sets as a child would do it: the set and the last lane, once settled."""
    members = set(begin)
    for lane in tries:
        if len(members) >= size:
            members.discard(lane)
        elif lane not in members:
            members.add(lane)
            if len(members) == size:
                return frozenset(members), lane
    return None


@pytest.mark.parametrize("size", [1, 2, 3])
def test_settling_over_all_tries(size):
    """Six tries of four lanes in all 4,096 orders: every set and last lane equally often."""
    orders = [*product(range(4), repeat=6)]
    words = np.array([[sum(lane << 2 * i for i, lane in enumerate(o))] for o in orders])
    for count in range(5):
        ends = {}
        for begin in combinations(range(4), count):  # all sets of one size are equally likely
            sets = subsets.Sets(
                np.full((4096, 1), sum(1 << lane for lane in begin), dtype=np.uint64),
                np.full(4096, count), np.zeros(4096, dtype=int), size, 4,
            )  # fmt: skip
            subsets.settle_plain(sets, np.arange(4096), words.astype(np.uint64))
            for i, order in enumerate(orders):
                settled = replay(begin, order, size)
                if settled is not None:
                    members, last = settled
                    assert sets.members[i, 0] == sum(1 << lane for lane in members)
                    assert sets.latest[i] == last
                    ends[settled] = ends.get(settled, 0) + 1
        assert len(ends) == math.comb(4, size) * size
        assert len(set(ends.values())) == 1


@pytest.mark.parametrize("start", [0, 3, 8, 15])
def test_subsets_are_uniform_and_a_slightly_uneven_law_is_noticed(start):
    """Five members of 7 lanes with the order of the last: 105 ends; one lane 6% likelier is seen."""
    plan, n = UniformSubsets(7, 5, start), 400_000
    members, latest = plan.many(n, sv.Seeded(start))
    codes = np.bincount(members[:, 0].astype(int) * 7 + latest, minlength=128 * 7)
    ends = [
        (sum(1 << lane for lane in chosen) * 7 + last, 0 in chosen)
        for chosen in combinations(range(7), 5)
        for last in chosen
    ]
    seen = codes[[code for code, _ in ends]]
    assert seen.sum() == n
    uneven = np.array([1.06 if favoured else 1.0 for _, favoured in ends])
    even = np.full(len(ends), n / len(ends))
    right = stats.chisquare(seen, even).pvalue
    wrong = stats.chisquare(seen, n * uneven / uneven.sum()).pvalue
    assert right > FALSE_ALARM
    assert wrong < FALSE_ALARM


def test_one_and_many_draw_the_same_sets():
    for lanes, size in ((1, 1), (2, 1), (5, 2), (64, 30), (65, 20), (300, 90)):
        plan = UniformSubsets(lanes, size, best_start(lanes, size))
        for seed in range(40):
            members, latest = plan.many(1, sv.Seeded(seed))
            alone = plan.one(sv.Seeded(seed))
            assert alone == (int.from_bytes(members.astype("<u8").tobytes(), "little"), latest[0])


@given(st.integers(1, 200), st.data())
def test_compiled_settling_is_the_plain_one(lanes, data):
    size, seed = data.draw(st.integers(1, lanes)), data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    lane_sets = rng.random((20, lanes)) < rng.random()
    packed = np.zeros((20, 8 * -(-lanes // 64)), dtype=np.uint8)
    packed[:, : -(-lanes // 8)] = np.packbits(lane_sets, axis=1, bitorder="little")
    rows = rng.permutation(20)[:15]
    words = rng.integers(0, 2**64, (15, 3), dtype=np.uint64)

    def settled(way):
        counts, latest = lane_sets.sum(axis=1), np.zeros(20, dtype=np.int64)
        sets = subsets.Sets(packed.copy().view("<u8"), counts, latest, size, lanes)
        return sets, way(sets, rows, words)

    plain, live = settled(subsets.settle_plain)
    kept, subsets._SMALL = subsets._SMALL, 0
    try:
        compiled, still = settled(subsets.settle)
    finally:
        subsets._SMALL = kept
    np.testing.assert_array_equal(live, still)
    for one, other in (
        (plain.members, compiled.members),
        (plain.counts, compiled.counts),
        (plain.latest, compiled.latest),
    ):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(bits.popcount(plain.members).sum(axis=1), plain.counts)


def test_bits_are_counted_without_numpy_2():
    words = np.random.default_rng(1).integers(0, 2**64, 10_000, dtype=np.uint64)
    words[:2] = 0, 2**64 - 1
    expected = [int(word).bit_count() for word in words]
    assert bits.popcount_plain(words).tolist() == expected
    assert bits.popcount(words).tolist() == expected


def test_the_compiled_kernel_is_loaded_for_many_sets_or_many_rounds(monkeypatch):
    used = []
    monkeypatch.setattr(subsets, "compiled", lambda name: used.append(True))
    monkeypatch.setattr(subsets, "_rounds", iter(range(10**9)))
    few, many = UniformSubsets(7, 3, 0), UniformSubsets(700, 3, 0)
    for _ in range(40):
        few.many(2, sv.Seeded(1))
    assert not used
    many.many(2000, sv.Seeded(1))
    assert used
    used.clear()
    monkeypatch.setattr(subsets, "_FEW", 10)
    few.many(2, sv.Seeded(1))
    assert used


def test_reports_are_the_same_without_numba(monkeypatch):
    mechanism = sv.mechanism("ss", sv.Categories(300), 1.0)
    indices = np.arange(6000) % 300
    compiled = mechanism.randomize_indices(indices, sv.Seeded(1))
    monkeypatch.setattr(subsets, "compiled", lambda name: None)
    assert mechanism.randomize_indices(indices, sv.Seeded(1)) == compiled

"""The linear family against brute force."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms._linear_family import LinearFamily, next_prime, previous_prime
from sottovoce.mechanisms.local_hashing import best_range, collision, digits

FAMILIES = [
    LinearFamily(size, g, digits(size, g), f"key {size} {g}")
    for size, g in ((2, 2), (7, 2), (8, 2), (9, 3), (20, 3), (26, 5), (11, 11), (40, 7))
]


def brute_inner(family, a, x):
    def coordinates(number):
        return [number // family.g**i % family.g for i in range(family.t)]

    return sum(p * q for p, q in zip(coordinates(a), coordinates(x), strict=True)) % family.g


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_canonical_vectors(family):
    """Every non-zero vector is a multiple of exactly one canonical vector."""
    assert len(family.vectors) == family.hashes
    assert [family.vector(i) for i in range(family.hashes)] == family.vectors.tolist()
    assert sorted(family._multiples.ravel().tolist()) == list(range(1, family.points))
    for a in family.vectors.tolist():
        leading = next(
            d for d in reversed([a // family.g**i % family.g for i in range(family.t)]) if d
        )
        assert leading == 1


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_inner_products(family):
    for a, v in product(range(family.hashes), range(family.size)):
        want = brute_inner(family, family.vector(a), int(family.places[v]))
        assert family.inner(family.vector(a), int(family.places[v])) == want
        assert family.hash_many(np.array([a]), np.array([v]))[0] == want


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_gather_and_scatter_are_the_sums_they_say(family):
    rng = np.random.default_rng(1)
    w, table = rng.normal(size=family.size), rng.normal(size=family.hashes * family.g)
    gathered, scattered = np.zeros((family.hashes, family.g)), np.zeros(family.size)
    for a, v in product(range(family.hashes), range(family.size)):
        y = brute_inner(family, family.vector(a), int(family.places[v]))
        gathered[a, y] += w[v]
        scattered[v] += table[a * family.g + y]
    np.testing.assert_allclose(family.gather(w), gathered.ravel(), atol=1e-12)
    np.testing.assert_allclose(family.scatter(table), scattered, atol=1e-12)


def test_support_counts_are_whole_numbers():
    mechanism = sv.mechanism("olh", sv.Categories(1024), 1.0)
    tally = mechanism.simulate(np.arange(1024), source=sv.Seeded(1))
    counts = mechanism.family.scatter(tally.cells.astype(float))
    assert np.abs(counts - counts.round()).max() < 1e-6
    assert 0 <= counts.min() <= counts.max() <= tally.n


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_collision_probability_is_counted(family):
    """q of the docstring equals the exact share of (hash, cell) pairs that support another value."""
    e = math.exp(1.3)
    p, r = e / (e + family.g - 1), 1 / (e + family.g - 1)
    for u, v in ((0, 1), (family.size - 1, 0)):
        total = 0.0
        for a in range(family.hashes):
            same = family.inner(family.vector(a), int(family.places[u])) == family.inner(
                family.vector(a), int(family.places[v])
            )
            total += (p if same else r) / family.hashes
        assert math.isclose(total, collision(p, family.g, family.t), rel_tol=1e-12)


def test_places_are_distinct_scattered_and_keyed():
    family = sv.mechanism("olh", sv.Categories(1024), 1.0).family
    other = sv.mechanism("olh", sv.Categories(1024), 1.0000001).family
    assert len(set(family.places.tolist())) == 1024
    assert not np.array_equal(family.places, other.places)
    assert abs(np.corrcoef(np.arange(1024), family.places)[0, 1]) < 0.1


def test_places_never_change():
    """Another language, and every later version, must place values alike."""
    assert LinearFamily(5, 3, 2, "fixed").places.tolist() == [7, 5, 1, 4, 2]


def test_hash_without_the_lookup_table_is_the_same(monkeypatch):
    monkeypatch.setattr("sottovoce.mechanisms._linear_family._LOOKUP", 0)
    small = LinearFamily(40, 3, 4, "k")
    monkeypatch.undo()
    looked_up = LinearFamily(40, 3, 4, "k")
    a, v = np.divmod(np.arange(small.hashes * 40), 40)
    np.testing.assert_array_equal(small.hash_many(a, v), looked_up.hash_many(a, v))


@pytest.mark.parametrize(
    ("epsilon", "size"), [*product((0.1, 0.5, 1, 2, 3, 4, 6), (2, 10, 100, 1000))]
)
def test_best_range_is_the_best_prime(epsilon, size):
    def variance(g):
        p = math.exp(epsilon) / (math.exp(epsilon) + g - 1)
        q = collision(p, g, digits(size, g))
        return (q * (1 - q) + (p - q) * (1 - p - q) / size) / (p - q) ** 2

    primes = [g for g in range(2, next_prime(size) + 1) if next_prime(g) == g]
    assert variance(best_range(size, epsilon)) <= min(map(variance, primes)) * 1.002


def test_range_at_scale():
    assert best_range(1024, 1.0) == 3
    assert best_range(1024, 20.0) == next_prime(1024)
    g = best_range(1_000_000, 6.0)
    assert g ** digits(1_000_000, g) <= 2**24


def test_never_much_worse_than_unary_encoding():
    """At most 3% above optimized unary encoding for many values (METHODS: primes only)."""
    for epsilon in (0.5, 1, 2, 3, 4):
        shares = np.zeros(1000)
        hashing = sv.mechanism("olh", sv.Categories(1000), epsilon).variance(shares, 1)[0]
        unary = sv.mechanism("oue", sv.Categories(1000), epsilon).variance(shares, 1)[0]
        assert hashing < 1.035 * unary


def test_options_are_checked():
    with pytest.raises(InvalidInput, match="hash_range of local-hashing must be a prime; got 4"):
        sv.mechanism("olh", sv.Categories(10), 1.0, hash_range=4)
    with pytest.raises(
        InvalidInput, match="hash_range of local-hashing must be a whole number from 2 to 11"
    ):
        sv.mechanism("olh", sv.Categories(10), 1.0, hash_range=13)
    with pytest.raises(
        InvalidInput, match="domain of local-hashing must be of at most 2500000 inputs"
    ):
        sv.mechanism("olh", sv.Categories(2_500_001), 1.0)
    with pytest.raises(InvalidInput, match="domain of local-hashing must be of fewer values"):
        sv.mechanism("olh", sv.Categories(2_500_000), 1.0)
    with pytest.raises(InvalidInput, match="hash_range of blh must be 2"):
        sv.mechanism("blh", sv.Categories(10), 1.0, hash_range=3)
    with pytest.raises(InvalidInput, match="a tally of 1000000 values has at most 2500000 cells"):
        sv.mechanism("olh", sv.Categories(1_000_000), 1.0, hash_range=257)


def test_primes():
    assert [next_prime(k) for k in (0, 2, 8, 14, 1024)] == [2, 2, 11, 17, 1031]
    assert [previous_prime(k) for k in (1, 2, 10, 1024)] == [None, 2, 7, 1021]

"""Local hashing over a linear family (OLH; BLH with a range of two)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Source, uniform_below
from sottovoce.channels.base import Floats, SupportProbabilities
from sottovoce.channels.support import SupportChannel
from sottovoce.channels.support_rule import SupportRule, digits_of
from sottovoce.core.fields import IntField
from sottovoce.core.mechanism import DEFAULT_BITS, MOST_CELLS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.categories import Categories
from sottovoce.mechanisms._hashed_response import NumberedHashes
from sottovoce.mechanisms._linear_family import LinearFamily, next_prime, previous_prime
from sottovoce.mechanisms.randomized_response import respond_one

__all__ = [
    "HashingChannel",
    "LocalHashing",
    "best_range",
    "cells_of_range",
    "collision",
    "digits",
    "family_of",
]

_FEW_POINTS = 2**17
"""Points up to which a plan looks where the values are placed (a tenth of a second)."""


_MOST_LISTED = 2**14
"""Values up to which it is looked up how many of them one hash has together."""


@register
@dataclass(frozen=True)
class LocalHashing(NumberedHashes):
    """Hash the value to one of ``g`` cells by a random public hash, then randomized response on g.

    A report is (hash, cell).  The hash is a canonical vector of a linear family
    over F_g^t (:mod:`sottovoce.mechanisms._linear_family`), so the tally is a
    table of fixed size that says all the reports say, and one transform
    decodes it: O(n) to tally, O(d log d) to decode, whatever n times d.

    ``p = E/(E + g - 1)``; two values share a cell under
    ``(g^(t-1) - 1)/(g^t - 1)`` of the hashes, hence
    ``q = [p (g^(t-1) - 1) + (1 - p) g^(t-1)] / (g^t - 1)``, a little below 1/g.

    ``hash_range`` is the prime g; by default the one of least mean variance among those whose tally
    has at most 2,500,000 cells.

    Two words a report: one for the hash, one for the response.

    Reference: Wang, Blocki, Li, Jha 2017; the linear family is ours.
    """

    name: ClassVar[str] = "local-hashing"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"olh": {}, "blh": {"hash_range": 2}}

    _: KW_ONLY
    hash_range: int | None = None
    """Number of cells of a hash.  Allowed: a prime g up to the first at or above d.
    Unless given: the prime of least variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        if self.hash_range is None:
            object.__setattr__(self, "hash_range", best_range(self.domain.size, self.epsilon))
            return
        g = check_int(self.hash_range, "hash_range", self.name, 2, next_prime(self.domain.size))
        object.__setattr__(self, "hash_range", g)
        if next_prime(g) != g:
            raise InvalidInput("hash_range", self.name, "a prime", g)
        if cells_of_range(self.domain.size, g) > MOST_CELLS:
            allowed = (
                f"such that a tally of {self.domain.size} values has at most {MOST_CELLS} cells"
            )
            raise InvalidInput("hash_range", self.name, allowed, g)

    @cached_property
    def family(self) -> LinearFamily:
        """The hashes, with the values placed by everything that tells this mechanism apart."""
        return family_of(self.domain.size, self.g, self.fingerprint)

    @property
    def fields(self) -> tuple[IntField, IntField]:
        return IntField("hash", self.family.hashes), IntField("cell", self.g)

    @property
    def cells(self) -> int:
        return self.family.hashes * self.g

    def respond(self, index: int, source: Source) -> tuple[int, int]:
        family = self.family
        hash_ = uniform_below(family.hashes, source)
        return hash_, respond_one(family.cell(hash_, index), self.weights, self.bits, source)

    @property
    def lists_supported_values(self) -> bool:
        return self.domain.size <= _MOST_LISTED

    def _channel(self) -> HashingChannel:
        keep, other = self.weights
        return HashingChannel(self.family, (keep + other) / 2**self.bits, other / 2**self.bits)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        hashes = reports.columns["hash"].astype(np.int64)
        own = self.family.hash_many(hashes, np.full(len(hashes), index))
        return np.asarray(own == reports.columns["cell"])

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue", "white"]), 1.0)
        yield cls(Categories(40), 0.5)
        yield cls(Categories(40), 2.0)
        yield cls(Categories(30), 4.0)
        yield cls(Categories(20), 1.0, hash_range=2)
        yield cls(Categories(9), 1.0, bits=16)


class HashingChannel(SupportChannel):
    """``(A w)[a, y] = (r + (p - r) W[a, y]) / K``: one transform forward, one back."""

    def __init__(self, family: LinearFamily, p: float, r: float) -> None:
        self.family, self._r = family, r
        self.inputs, self.cells = family.size, family.hashes * family.g
        self.support_probabilities = SupportProbabilities(p, collision(p, family.g, family.t))

    def forward(self, shares: Floats) -> Floats:
        p, r = self.support_probabilities.p, self._r
        return (r * shares.sum() + (p - r) * self.family.gather(shares)) / self.family.hashes

    def adjoint(self, values: Floats) -> Floats:
        p, r = self.support_probabilities.p, self._r
        return (r * values.sum() + (p - r) * self.family.scatter(values)) / self.family.hashes

    def support(self, frequencies: Floats) -> Floats:
        return self.family.scatter(frequencies)

    def spread(self, weights: Floats) -> Floats:
        return self.family.gather(weights)

    @property
    def support_rule(self) -> SupportRule:
        """``<a, x_v> = y``, see :mod:`~sottovoce.mechanisms._linear_family`."""
        family, (p, q) = (
            self.family,
            (self.support_probabilities.p, self.support_probabilities.q),
        )
        return SupportRule(
            modulus=family.g,
            vectors=np.repeat(digits_of(family.vectors, family.g, family.t), family.g, axis=0),
            targets=np.tile(np.arange(family.g), family.hashes),
            points=digits_of(family.places, family.g, family.t),
            inside=(1 - q) / (p - q),
            outside=-q / (p - q),
        )

    def expected_variance_of_all(self, shares: Floats) -> float:
        """For these places where they are few, else on average over all ways to place the values.

        A report adds ``N / (p - q)`` and a constant, N the number of values in its cell.
        Its sender's value is in with probability p.  The other d - 1 lie at random
        among the other ``m = g^t - 1`` points, of which the cell has ``r = g^(t-1) - 1``
        if the sender's is in, else ``r + 1``: hypergeometric, with mean ``(d-1) r/m`` and
        variance ``(d-1) r (m-r)(m-d+1) / (m^2 (m-1))``.
        """
        family, d, (p, q) = (
            self.family,
            self.inputs,
            (self.support_probabilities.p, self.support_probabilities.q),
        )
        if family.points <= _FEW_POINTS:
            return super().expected_variance_of_all(shares)
        m, inside = family.points - 1, family.points // family.g - 1
        scale = (d - 1) * (m - d + 1) / (m**2 * (m - 1))
        within, without = (scale * r * (m - r) for r in (inside, inside + 1))
        between = p * (1 - p) * (1 - (d - 1) / m) ** 2
        return (between + p * within + (1 - p) * without) / (p - q) ** 2


@lru_cache(maxsize=16)
def family_of(size: int, g: int, key: str) -> LinearFamily:
    """The family for so many values, kept: mechanisms are made again and again."""
    return LinearFamily(size, g, digits(size, g), key)


def collision(p: float, g: int, t: int) -> float:
    """``q``: the chance that a report supports a value that its sender does not hold."""
    shared = g ** (t - 1)
    return (p * (shared - 1) + (1 - p) * shared) / (g**t - 1)


def digits(size: int, g: int) -> int:
    """The least t >= 1 with g^t >= size."""
    t, power = 1, g
    while power < size:
        t, power = t + 1, power * g
    return t


def cells_of_range(size: int, g: int) -> int:
    """The cells of a tally: g for each of ``(g^t - 1)/(g - 1)`` hashes."""
    return int(g * (g ** digits(size, g) - 1) // (g - 1))


def best_range(
    size: int, epsilon: float, variance: Callable[[int, int, float], float] | None = None
) -> int:
    """The prime g of least mean variance, all values equal, with at most 2,500,000 cells.

    ``variance`` of a size, a range and e^epsilon is another one to look at in place of that.

    One digit needs a prime at or above ``size``: the first.  With t digits the
    variance is convex in g: the primes on either side of its least, found by
    ternary search within the interval of t digits, are enough.
    """
    e, of = math.exp(epsilon), _variance if variance is None else variance
    candidates = {next_prime(size)}
    for t in range(2, digits(size, 2) + 1):
        least, most = _root(size - 1, t) + 1, min(_root(MOST_CELLS, t), _root(size - 1, t - 1))
        while most >= least and cells_of_range(size, most) > MOST_CELLS:
            most -= 1
        low, high = least, most
        while high - low > 2:
            left, right = low + (high - low) // 3, high - (high - low) // 3
            if of(size, left, e) < of(size, right, e):
                high = right
            else:
                low = left
        near = (previous_prime(low), next_prime(low), next_prime(high))
        candidates.update(g for g in near if g is not None and least <= g <= most)
    fitting = [g for g in candidates if cells_of_range(size, g) <= MOST_CELLS]
    if not fitting:
        allowed = f"of fewer values: no tally of {MOST_CELLS} cells holds their hashes"
        raise InvalidInput("domain", "local-hashing", allowed, f"{size} values")
    return min(fitting, key=lambda g: (of(size, g, e), g))


def _root(number: int, t: int) -> int:
    """The greatest g with g^t <= number."""
    g = round(number ** (1 / t))
    while g**t > number:
        g -= 1
    while (g + 1) ** t <= number:
        g += 1
    return g


def _variance(size: int, g: int, e: float) -> float:
    p = e / (e + g - 1)
    q = collision(p, g, digits(size, g))
    return (q * (1 - q) + (p - q) * (1 - p - q) / size) / (p - q) ** 2

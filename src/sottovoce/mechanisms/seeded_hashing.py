"""Local hashing with a fresh seed a report (the papers' OLH)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.kernels.seeds import FACTORS, SHIFTS, cells_of, support_bits, support_counts
from sottovoce.mechanisms._hashed_response import HashedResponse
from sottovoce.mechanisms._reported_sets import SetRows, set_rows
from sottovoce.mechanisms._support_blocks import (
    SupportBlocks,
    UnaryChannel,
    in_and_out,
    simulate_supports,
)
from sottovoce.mechanisms.randomized_response import respond_all, respond_one

__all__ = ["SeededHashing", "best_range", "hash_one"]

_LARGEST_RANGE = 2**29
"""Above e^20 + 1.  Cells of a 32-bit hash differ in size by 1 in 2^32, so q is 1/g to 2^-37."""


@register
@dataclass(frozen=True)
class SeededHashing(SupportBlocks, HashedResponse):
    """Hash the value to one of ``g`` cells by a fresh public seed, then randomized response on g.

    A report is (seed, cell), 64 bits and a cell; it speaks for every value that
    its seed sends to its cell (:mod:`sottovoce.kernels.seeds`).  Under an ideal hash
    it speaks for its sender's value with probability ``p = E/(E + g - 1)``, and for
    any other with ``q = 1/g``, independently: the law of unary encoding with
    these p and q.  ``simulate`` draws by that law.

    ``hash_range`` is g; by default the integer of least variance
    ``q(1-q)/(p-q)^2 = (E + g - 1)^2 / ((E - 1)^2 (g - 1))``.

    Counting costs a hash a report and value.  Where the values are known in
    advance, :class:`~sottovoce.LocalHashing` says the same at the cost of one
    transform.  Where they are not, take ``Categories(2**32)``, number a value by
    32 bits of any public hash, keep the reports, and ask ``supports`` later.

    Two words a report: one is the seed, one decides the response.

    Reference: Wang, Blocki, Li, Jha 2017.
    """

    name: ClassVar[str] = "seeded-hashing"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"olh-seeded": {}}
    sends_any_combination: ClassVar[bool] = False

    _: KW_ONLY
    hash_range: int | None = None
    """Number of cells of a hash.  Allowed: 2 to 2^29.  Unless given: the number of least variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        g = best_range(self.epsilon) if self.hash_range is None else self.hash_range
        object.__setattr__(
            self, "hash_range", check_int(g, "hash_range", self.name, 2, _LARGEST_RANGE)
        )

    @property
    def fields(self) -> tuple[IntField, IntField]:
        return IntField("seed", 2**64), IntField("cell", self.g)

    def respond(self, index: int, source: Source) -> tuple[int, int]:
        seed = int(source.words(1)[0])
        cell = hash_one(seed, index, self.g)
        return seed, respond_one(cell, self.weights, self.bits, source)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, Column]:
        seeds = source.words(len(indices))
        cells = cells_of(seeds, indices, self.g)
        return seeds, respond_all(cells, self.weights, self.bits, source)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        seeds, cells = reports.columns["seed"], reports.columns["cell"]
        counts = support_counts(seeds, cells, self.g, self.domain.size)
        return in_and_out(counts, len(reports))

    def support_bits(self, reports: Reports) -> NDArray[np.uint8]:
        """A row a report, bit ``v % 8`` of byte ``v // 8``: whether it speaks for input v.

        The reports as sets of values, in the form of unary encoding's; n d / 8
        bytes, so give a slice of the reports at a time.
        """
        seeds, cells = reports.columns["seed"], reports.columns["cell"]
        return support_bits(seeds, cells, self.g, self.domain.size)

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """The exact law under an ideal hash."""
        support_probabilities = self.channel().support_probabilities
        assert support_probabilities is not None
        return simulate_supports(counts, support_probabilities.p, support_probabilities.q, source)

    def _channel(self) -> UnaryChannel:
        keep, other = self.weights
        return UnaryChannel(self.domain.size, (keep + other) / 2**self.bits, 1 / self.g)

    def rows(self, reports: Reports) -> SetRows:
        return set_rows(self, reports, self.support_bits)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        seeds = reports.columns["seed"]
        own = cells_of(seeds, np.full(len(seeds), index), self.g)
        return np.asarray(own == reports.columns["cell"])

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue", "white"]), 1.0)
        yield cls(Categories(40), 0.5)
        yield cls(Categories(20), 4.0)
        yield cls(Categories(9), 2.0, hash_range=2, bits=16)
        yield cls(Interval(-1, 1, bins=10), 1.0, hash_range=6)


def hash_one(seed: int, index: int, g: int) -> int:
    """The cell of one value under one seed, in plain integers.

    >>> [hash_one(2**63 + 5, index, 10) for index in range(8)]
    [3, 9, 9, 0, 6, 4, 1, 5]
    """
    mixed = _mix(index ^ (seed & 0xFFFFFFFF))
    return (_mix(mixed ^ (seed >> 32)) * g) >> 32


def _mix(x: int) -> int:
    """The 32-bit finalizer of MurmurHash3: shifts and odd factors, each a bijection."""
    for shift, factor in zip(SHIFTS, (*FACTORS, 1), strict=True):
        x ^= x >> shift
        x = (x * factor) & 0xFFFFFFFF
    return x


def best_range(epsilon: float) -> int:
    """The integer g of least variance, where q = 1/g.

    With k = g - 1 it is least where ``E^2 / k + k`` is: k and k + 1 are equal at
    ``k (k + 1) = E^2``, so that the best k is the integer part of E, or one more.

    >>> [best_range(epsilon) for epsilon in (0.5, 1.0, 2.0, 4.0)]
    [3, 4, 8, 56]
    """
    e = exp_bounds(epsilon)[0]
    k = int(e)
    return k + 1 if e * e <= k * (k + 1) else k + 2

"""Local hashing with a fixed number of public hashes (FLH)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.randomness import Source, uniform_below
from sottovoce.channels.base import Channel, Floats, Inverse, SupportProbabilities
from sottovoce.channels.support import SupportInverse
from sottovoce.core.fields import IntField
from sottovoce.core.mechanism import DEFAULT_BITS, MOST_CELLS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._fixed_family import FixedFamily
from sottovoce.mechanisms._hashed_response import NumberedHashes
from sottovoce.mechanisms.randomized_response import respond_one
from sottovoce.mechanisms.seeded_hashing import best_range

__all__ = ["FixedHashing"]

_LARGEST_TABLE = 2**24
"""Most entries of the table of all hashes of all values."""


@register
@dataclass(frozen=True)
class FixedHashing(NumberedHashes):
    """Hash the value to one of ``g`` cells by one of K public hashes, then randomized response on g.

    A report is (hash, cell), the tally a table of K g cells that says all the
    reports say.  The hashes are drawn once, by the mechanism's fingerprint
    (:mod:`sottovoce.mechanisms._fixed_family`), and are the same for everybody.

    ``p = E/(E + g - 1)``, and ``q = 1/g`` *on average over the hashes*.  For these
    hashes two values collide a little more or less often than that, so the linear
    estimate ``(c_v/n - q)/(p - q)`` has an error that no number of reports
    removes, of variance ``sum_{u != v} f_u^2 / (K (g - 1))`` over the draw of hashes.
    Standard errors of the unbiased estimate include it; those of other methods only
    a part.  :class:`~sottovoce.LocalHashing` has no such error.

    ``hash_count`` is K.  ``hash_range`` is g; by default the integer of least
    variance whose tally has at most 2,500,000 cells.

    Two words a report: one for the hash, one for the response.

    Reference: Cormode, Maddock, Maple 2021 (fast local hashing).
    """

    name: ClassVar[str] = "fixed-hashing"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"flh": {}}
    sends_any_combination: ClassVar[bool] = False

    _: KW_ONLY
    hash_count: int = 500
    """Number of public hashes; with few, answers have a large floor under their error.  Allowed: 1
    to 1,250,000, and to 2^24 / d.
    """
    hash_range: int | None = None
    """Number of cells of a hash.  Allowed: 2 to 2,500,000 / hash_count.  Unless given: the number of
    least variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        size = self.domain.size
        most = min(_LARGEST_TABLE // size, MOST_CELLS // 2)
        count = check_int(self.hash_count, "hash_count", self.name, 1, most)
        widest = MOST_CELLS // count
        best = min(best_range(self.epsilon), widest)
        g = best if self.hash_range is None else self.hash_range
        object.__setattr__(self, "hash_count", count)
        object.__setattr__(self, "hash_range", check_int(g, "hash_range", self.name, 2, widest))

    @cached_property
    def family(self) -> FixedFamily:
        """The hashes, drawn by everything that tells this mechanism apart."""
        return _family(self.domain.size, self.g, self.hash_count, self.fingerprint)

    @property
    def fields(self) -> tuple[IntField, IntField]:
        return IntField("hash", self.hash_count), IntField("cell", self.g)

    @property
    def cells(self) -> int:
        return self.hash_count * self.g

    def respond(self, index: int, source: Source) -> tuple[int, int]:
        hash_ = uniform_below(self.hash_count, source)
        cell = self.family.cell(hash_, index)
        return hash_, respond_one(cell, self.weights, self.bits, source)

    @property
    def support_probabilities(self) -> SupportProbabilities:
        """On average over all hashes; the channel has those that were drawn."""
        keep, other = self.weights
        return SupportProbabilities((keep + other) / 2**self.bits, 1 / self.g)

    @property
    def lists_supported_values(self) -> bool:
        return False

    def _channel(self) -> FixedChannel:
        keep, other = self.weights
        return FixedChannel(self.family, (keep + other) / 2**self.bits, other / 2**self.bits)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        own = self.family.table[:, index][reports.columns["hash"]]
        return np.asarray(own == reports.columns["cell"])

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue", "white"]), 1.0, hash_count=16)
        yield cls(Categories(40), 0.5, hash_count=64)
        yield cls(Categories(20), 2.0)
        yield cls(Categories(9), 4.0, hash_count=3, hash_range=5, bits=16)
        yield cls(Interval(-1, 1, bins=10), 1.0, hash_count=100, hash_range=2)


class FixedChannel(Channel):
    """``(A w)[i, y] = (r + (p - r) W[i, y]) / K``: one pass over the table forward, one back.

    The inverse is that of the average over all hashes, ``q = 1/g``.  A report of u
    adds to the share of v, on average, ``m_uv = (g C_uv - 1)/(g - 1)``, C_uv the share of
    hashes under which u and v collide: 1 for u = v, but for others 0 only over the draw
    of the hashes, with variance ``1/(K (g - 1))``, uncorrelated between pairs.  So
    the bias of ``z . f`` is ``sum_{u < v} m_uv (z_u f_v + z_v f_u)``, and its variance

        misfit(z) = [ |z|^2 |f|^2 + (z . f)^2 - 2 sum z^2 f^2 ] / (K (g - 1))
    """

    exact_inverse = False

    def __init__(self, family: FixedFamily, p: float, r: float) -> None:
        self.family, self._p, self._r, self._q = family, p, r, 1 / family.g
        self.inputs, self.cells = family.size, family.hashes * family.g
        self._spread = 1 / (family.hashes * (family.g - 1))

    def forward(self, shares: Floats) -> Floats:
        p, r = self._p, self._r
        return (r * shares.sum() + (p - r) * self.family.gather(shares)) / self.family.hashes

    def adjoint(self, values: Floats) -> Floats:
        p, r = self._p, self._r
        return (r * values.sum() + (p - r) * self.family.scatter(values)) / self.family.hashes

    @property
    def inverse(self) -> Inverse:
        return SupportInverse(
            self.family.scatter, self.family.gather, SupportProbabilities(self._p, self._q)
        )

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """For each share, ``x . g^2 - f . m^2`` as in ``variance_of``.

        Where pairs are too many to count their collisions, ``m_uv^2`` is taken at its
        mean: a part of about 1 in K of the variance.  True shares that do not sum to 1
        leave the rest to values that collide as often as the average.
        """
        p, q = self._p, self._q
        if frequencies is None:
            rest = 1 - shares.sum()
            supported = self.family.scatter(self.forward(shares)) + rest * q
        else:
            rest = 0.0
            supported = self.family.scatter(frequencies)
        squares = (supported * (1 - 2 * q) + q**2) / (p - q) ** 2
        return np.maximum(0.0, squares - self._mean_squares(shares) - rest * self._spread)

    def expected_variance(self, shares: Floats) -> Floats:
        """As with a fresh seed a report, less the ``m_uv^2`` at their mean; no hash is drawn."""
        return SupportProbabilities(self._p, self._q).variance(shares) - (1 - shares) * self._spread

    def expected_variance_of_all(self, shares: Floats) -> float:
        """Cells of different values are independent, so that variances add."""
        return float(self.expected_variance(shares).sum())

    def _mean_squares(self, shares: Floats) -> Floats:
        """``sum_u f_u m_uv^2``: the squared mean of what a report adds to the share of v."""
        collisions, g = self.family.collisions, self.family.g
        if collisions is None:
            return shares + (shares.sum() - shares) * self._spread
        return shares @ ((g * collisions - 1) / (g - 1)) ** 2

    def hash_variances(self, shares: Floats, noise: Floats | None = None) -> Floats:
        squares, total = self._squares(shares, noise)
        return (total - squares) * self._spread

    def hash_variance(self, weights: Floats, shares: Floats, noise: Floats | None = None) -> float:
        squares, total = self._squares(shares, noise)
        alone = weights**2 @ (total - squares)
        between = (weights @ shares) ** 2 - weights**2 @ shares**2
        return max(0.0, float(alone + between) * self._spread)

    def _squares(self, shares: Floats, noise: Floats | None) -> tuple[Floats, float]:
        """Every ``f^2``, and their sum.

        Of an estimate f~ the mean of ``f~^2`` is ``f^2`` plus noise plus misfit, and all
        misfits sum to ``(d - 1) |f|^2 / (K (g - 1))``: noise is subtracted, and the sum
        divided by what the misfits add to it.
        """
        if noise is None:
            return shares**2, float(shares @ shares)
        squares = shares**2 - noise
        total = max(0.0, float(squares.sum())) / (1 + (self.inputs - 1) * self._spread)
        return np.clip(squares, 0.0, total), total


@lru_cache(maxsize=16)
def _family(size: int, g: int, hashes: int, key: str) -> FixedFamily:
    return FixedFamily(size, g, hashes, key)

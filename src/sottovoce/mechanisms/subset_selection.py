"""Subset selection: a random set of values, more often with one's own than without (SS)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source
from sottovoce.channels.base import Floats
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import BitField, Column
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.kernels.bits import column_counts
from sottovoce.mechanisms._reported_sets import SetRows, set_rows
from sottovoce.mechanisms._subsets_with_own import SubsetsWithOwn, cheapest_start
from sottovoce.mechanisms._support_blocks import SupportBlocks, UnaryChannel, in_and_out
from sottovoce.mechanisms._uniform_subsets import SIXTEENTHS
from sottovoce.mechanisms.randomized_response import response_limit

__all__ = ["SubsetSelection"]


@register
@dataclass(frozen=True)
class SubsetSelection(SupportBlocks):
    """A uniform set of k values: with one's own with probability ``p``, else without it.

    ``p = kE / (kE + d - k)``.  Any other value is in the set with probability
    ``q = (k - p) / (d - 1)``.  For rare values no other
    mechanism here has less variance; with k = 1 it is randomized response.
    Shares sum to exactly 1.

    ``subset_size`` is k; by default the better of the two whole numbers around
    ``d / (E + 1)``.

    Privacy: a given set has probability ``p / C(d-1, k-1)`` from its members and
    ``(1 - p) / C(d-1, k)`` from others, so that the worst ratio is
    ``p (d - k) / ((1 - p) k)``.

    Randomness: one word decides whether one's own value is in, and
    :class:`~sottovoce.mechanisms._subsets_with_own.SubsetsWithOwn` draws the others.

    References: Wang, Huang, Wang, Nie, Xu, Yang, Li, Qiao 2016; Ye, Barg 2018.

    >>> import sottovoce as sv
    >>> sv.SubsetSelection(sv.Categories(1024), epsilon=1.0).subset_size
    275
    """

    name: ClassVar[str] = "subset-selection"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"ss": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("own", "start")

    _: KW_ONLY
    subset_size: int | None = None
    """Number k of values in a set.  Allowed: 1 to d - 1.  Unless given: the better whole number
    next to d / (E + 1).
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        d = self.domain.size
        if self.subset_size is None:
            object.__setattr__(self, "subset_size", best_size(d, self.epsilon))
        else:
            k = check_int(self.subset_size, "subset_size", self.name, 1, max(1, d - 1))
            object.__setattr__(self, "subset_size", k)

    @property
    def k(self) -> int:
        """The size of a set."""
        assert self.subset_size is not None  # completed at birth
        return self.subset_size

    def _derive_weights(self) -> tuple[int, int]:
        """``own = floor(2^bits kE / (kE + d - k))``, E below e^epsilon, and the cheapest start."""
        total, d, k = 2**self.bits, self.domain.size, self.k
        if d == 1:
            return total, 0
        e = exp_bounds(self.epsilon)[0]
        own = math.floor(total * k * e / (k * e + d - k))
        if not self._favours(own):
            raise InvalidInput(
                "epsilon",
                self.name,
                f"larger for {k} of {d} values with weights of {self.bits} bits",
                self.epsilon,
                hint="At this precision the answer would carry nothing.",
            )
        return own, cheapest_start(d, self.k)

    def _favours(self, own: int) -> bool:
        """Whether one's own value is in the set more often than another: ``own / 2^bits > k / d``."""
        return self.k * 2**self.bits < own * self.domain.size

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        own, start = super()._check_weights(weights)
        total, d = 2**self.bits, self.domain.size
        if d == 1 and (own, start) == (total, 0):
            return own, start
        if not self._favours(own) or own >= total or start >= SIXTEENTHS:
            allowed = f"{self.k}/{d} < own/2^{self.bits} < 1 and start < {SIXTEENTHS}"
            raise InvalidInput("weights", self.name, allowed, weights)
        return own, start

    @cached_property
    def _sets(self) -> SubsetsWithOwn:
        """How a set is drawn once it is decided whether one's own value is in."""
        return SubsetsWithOwn(self.domain.size, self.k, self.weights[1])

    @property
    def fields(self) -> tuple[BitField]:
        return (BitField("bits", self.domain.size),)

    @property
    def words_per_report(self) -> int:
        return 1 + (self._sets.stand_ins.words_at_first if self.domain.size > 1 else 0)

    def respond(self, index: int, source: Source) -> tuple[bytes]:
        inside = int(source.words(1)[0]) < self.weights[0] << (64 - self.bits)
        if self.domain.size == 1:
            return (b"\x01",)
        return (self._sets.one(index, inside, source),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        words = source.words(len(indices))
        if self.domain.size == 1:
            return (np.ones((len(indices), 1), dtype=np.uint8),)
        inside = words < np.uint64(self.weights[0] << (64 - self.bits))
        return (self._sets.many(indices, inside, source),)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        ones = column_counts(reports.columns["bits"], self.domain.size)
        return in_and_out(ones, len(reports))

    def why_least_error(self) -> str:
        limit = response_limit(self.epsilon)
        return (
            f"A report is a set of always the same size (subset_size={self.k} of "
            f"{self.domain.size:,} values), which beats independent bits. A single value "
            f"(randomized-response) beats those bits only below {limit:.1f} values at this epsilon."
        )

    def _channel(self) -> SubsetChannel:
        return SubsetChannel(self.domain.size, self.k, self.weights[0] / 2**self.bits)

    def rows(self, reports: Reports) -> SetRows:
        return set_rows(self, reports, lambda part: part.columns["bits"])

    def certificate(self) -> Certificate:
        total, d, own = 2**self.bits, self.domain.size, self.weights[0]
        if d == 1:
            return Certificate(1, 1)
        return Certificate(own * (d - self.k), (total - own) * self.k)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        column = reports.columns["bits"][:, index // 8]
        return (column >> np.uint8(index % 8)) & np.uint8(1) == 1

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["red", "green", "blue", "white"]), 1.0)
        yield cls(Categories(2), 1.0)
        yield cls(Categories(40), 0.5)
        yield cls(Categories(17), 2.0, subset_size=12)
        yield cls(Categories(9), 2.0, bits=16)
        yield cls(Interval(-1, 1, bins=65), 1.0)


class SubsetChannel(UnaryChannel):
    """Blocks (in, out) as for unary encoding, but tied: every set has k members."""

    independent = False

    def __init__(self, size: int, k: int, p: float) -> None:
        super().__init__(size, p, (k - p) / max(1, size - 1))
        self._k = k

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """n times the variance of ``weights . shares``, members drawn without replacement.

        A report adds ``z(S) / (p - q)`` and a constant, ``z(S) = sum of z_v over S``.
        As sets have one size, z may be taken about its mean: ``sum z = 0``.  Let
        m = d - 1.  Besides one's own value u there are j = k - 1 (if u is in) or
        j = k of m others, whose z have mean ``-z_u/m`` and mean square about it
        ``Q/m - z_u^2 d/m^2``, ``Q = sum z^2``.  A sum of j of them has ``j (m-j)/(m-1)``
        times that variance.  Being in or out moves the mean by ``z_u d/m``.  So
        ``Var(z(S) | u) = c (Q/m - z_u^2 d/m^2) + p(1-p) (z_u d/m)^2``, with
        ``c = [p (k-1)(m-k+1) + (1-p) k (m-k)] / (m-1)``.
        """
        d, k, p, m = self.inputs, self._k, self.support_probabilities.p, self.inputs - 1
        if m == 0:
            return 0.0
        squares = (weights - weights.mean()) ** 2
        c = (p * (k - 1) * (m - k + 1) + (1 - p) * k * (m - k)) / max(1, m - 1)
        own = float(shares @ squares)
        of_sets = c * (squares.sum() * shares.sum() / m - own * d / m**2)
        return (
            max(0.0, of_sets + p * (1 - p) * own * (d / m) ** 2)
            / (p - self.support_probabilities.q) ** 2
        )


def best_size(size: int, epsilon: float) -> int:
    """The k of least mean variance, all values equal: next to ``d / (E + 1)``, from 1 to d - 1."""
    e = math.exp(epsilon)
    below = math.floor(size / (e + 1))
    candidates = {min(max(1, k), max(1, size - 1)) for k in range(below - 1, below + 3)}
    return min(candidates, key=lambda k: (_variance(size, k, e), k))


def _variance(size: int, k: int, e: float) -> float:
    p = k * e / (k * e + size - k)
    q = (k - p) / max(1, size - 1)
    return (q * (1 - q) + (p - q) * (1 - p - q) / size) / (p - q) ** 2

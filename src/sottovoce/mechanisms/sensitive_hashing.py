"""Local hashing that protects the sensitive values only (uLH)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, MOST_CELLS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.mechanisms._linear_family import LinearFamily, next_prime
from sottovoce.mechanisms._open_channel import OpenChannel
from sottovoce.mechanisms._sensitive import FloorPoint, SensitiveMechanism
from sottovoce.mechanisms.local_hashing import (
    HashingChannel,
    best_range,
    cells_of_range,
    collision,
    digits,
    family_of,
)
from sottovoce.mechanisms.randomized_response import (
    check_response_weights,
    respond_all,
    respond_one,
    response_weights,
)

__all__ = ["SensitiveHashing"]


@register
@dataclass(frozen=True)
class SensitiveHashing(SensitiveMechanism):
    """Sensitive values by local hashing; other values openly, or as a random cell of the hash.

    A device draws a public hash of the linear family of ``local-hashing`` over the s sensitive values.
    With weight ``keep`` a sensitive value is reported as its cell, and another one openly; else both
    are reported as any of the g cells, equally.  With ``r = 1/(E + g - 1)`` a cell has probability
    ``p = E r`` from the values in it and r from all others; another value is open with chance
    ``c = (E - 1) r``.

    The report is one integer: ``g hash + cell``, or behind all of these the place of an open value.
    For many sensitive values.

    ``hash_range`` is the prime g; by default the one of least variance of a sensitive share where a tenth of all
    people hold a sensitive value.

    Two words a report: one for the hash, one for the response.  It is not epsilon-LDP: the certificate is
    over reports that are not open.

    References: Murakami, Kawamoto 2019 for what is protected; Wang, Blocki, Li, Jha 2017 for hashing.

    >>> import sottovoce as sv
    >>> m = sv.SensitiveHashing(sv.Categories(100, sensitive=range(20)), epsilon=1.0, hash_range=3)
    >>> m.family.hashes, m.cells, round(float(m.open_chance), 4)
    (13, 119, 0.3642)
    """

    name: ClassVar[str] = "sensitive-hashing"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"ulh": {}}
    weight_names: ClassVar[tuple[str, ...]] = ("keep", "other")

    _: KW_ONLY
    hash_range: int | None = None
    """Number of cells of a hash.  Allowed: a prime g up to the first at or above s.
    Unless given: the prime of least variance.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        count = len(self.sensitive)
        if count < 2:
            allowed = "with at least 2 sensitive values"
            hint = "For one, take sensitive-response."
            raise InvalidInput("domain", self.name, allowed, str(self.domain), hint=hint)
        if self.hash_range is None:
            chosen = best_range(count, self.epsilon, _variance)
            object.__setattr__(self, "hash_range", chosen)
            return
        g = check_int(self.hash_range, "hash_range", self.name, 2, next_prime(count))
        object.__setattr__(self, "hash_range", g)
        if next_prime(g) != g:
            raise InvalidInput("hash_range", self.name, "a prime", g)
        if cells_of_range(count, g) + len(self.others) > MOST_CELLS:
            allowed = f"such that a tally has at most {MOST_CELLS} cells"
            raise InvalidInput("hash_range", self.name, allowed, g)

    @property
    def g(self) -> int:
        """The range of the hashes."""
        assert self.hash_range is not None  # completed at birth
        return self.hash_range

    def _derive_weights(self) -> tuple[int, int]:
        return response_weights(self.epsilon, self.g, self.bits, self.name)

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        return check_response_weights(super()._check_weights(weights), self.g, self.bits, self.name)

    @cached_property
    def family(self) -> LinearFamily:
        """The hashes of S, with its values placed by everything that tells this mechanism apart."""
        return family_of(len(self.sensitive), self.g, self.fingerprint)

    @property
    def open_chance(self) -> Fraction:
        return Fraction(self.weights[0], 2**self.bits)

    @property
    def _protected(self) -> int:
        """Cells of protected reports, which come first."""
        return self.family.hashes * self.g

    @property
    def open_cells(self) -> tuple[Indices, Indices]:
        return self._protected + np.arange(len(self.others)), self.others

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("cell", self.cells),)

    @property
    def cells(self) -> int:
        return self._protected + len(self.others)

    @property
    def words_per_report(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int]:
        hash_, own = uniform_below(self.family.hashes, source), bool(self.is_sensitive[index])
        rank = int(self.rank[index])
        cell = self.family.cell(hash_, rank if own else 0)  # of any value, for somebody in N
        # the cell g stands for "open"
        answer = respond_one(cell if own else self.g, self.weights, self.bits, source)
        return (self._protected + rank if answer == self.g else hash_ * self.g + answer,)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        hashes = uniform_below_many(self.family.hashes, len(indices), source).view(np.int64)
        own, ranks = self.is_sensitive[indices], self.rank[indices]
        cells = self.family.hash_many(hashes, np.where(own, ranks, 0))
        answers = respond_all(np.where(own, cells, self.g), self.weights, self.bits, source)
        protected = hashes * self.g + answers
        return (np.where(answers == self.g, self._protected + ranks, protected),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("cell")

    def why_least_error(self) -> str:
        return (
            "Sensitive values share the cells of a hash, and others are sent openly now and then."
        )

    def _channel(self) -> OpenChannel:
        (keep, other), total = self.weights, 2**self.bits
        inner = HashingChannel(self.family, (keep + other) / total, other / total)
        floor = other / total / self.family.hashes
        cells = np.arange(self.cells)
        parts = (cells[: self._protected], cells[self._protected :])
        return OpenChannel(inner, floor, inputs=(self.sensitive, self.others), cells=parts)

    def certificate(self) -> Certificate:
        keep, other = self.weights
        return self._certified(keep + other, other)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        cells, rank = reports.columns["cell"].astype(np.int64), int(self.rank[index])
        if not self.is_sensitive[index]:
            return np.asarray(cells == self._protected + rank)
        hashes, answers = np.divmod(np.minimum(cells, self._protected - 1), self.g)
        own = self.family.hash_many(hashes, np.full(len(cells), rank))
        return np.asarray((cells < self._protected) & (own == answers))

    def revealed(self, reports: Reports) -> Indices:
        ranks = reports.columns["cell"].astype(np.int64) - self._protected
        return np.where(ranks < 0, -1, self.others[np.maximum(ranks, 0)])

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(12, sensitive=[0, 2, 3, 5, 6, 7, 11]), 1.0)
        yield cls(Categories(30, sensitive=range(20)), 2.0, hash_range=5)
        yield cls(Categories(6, sensitive=[0, 1, 2, 3]), 1.0, hash_range=2, bits=16)


def _variance(count: int, g: int, e: float) -> float:
    """n Var of a typical sensitive share."""
    r = 1 / (e + g - 1)
    p = e * r
    point = FloorPoint(p, collision(p, g, digits(count, g)), r, (g - 1) * r, (e - 1) * r)
    return float(point.typical_variance(count))

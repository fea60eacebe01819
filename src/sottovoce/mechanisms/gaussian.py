"""Gaussian noise on the bins of an interval, or on every coordinate of a vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_decimal, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import OperatingSystem, Source
from sottovoce.channels.base import Channel
from sottovoce.channels.coordinates import CoordinatesChannel
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.alignment import warn_if_misaligned
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.domains.vector import Vector
from sottovoce.mechanisms._audit_plans import plan_for_sums
from sottovoce.mechanisms._fine_grid import declining_hint
from sottovoce.mechanisms._gaussian_privacy import (
    delta_of_table,
    falls_steadily,
    normal_scale,
    normal_tail,
)
from sottovoce.mechanisms._noise_on_grid import (
    FIXED_POINT,
    GUARD,
    LARGEST_TABLE,
    NoiseOnGrid,
    NoiseTable,
    fitting_table,
)

__all__ = ["Gaussian"]

_TIMES_BINS = 16
"""Most cells beyond the bins, on either side, for each bin, unless ``reach`` says otherwise."""
_ATTEMPTS = 19
"""Each attempt adds twice as much noise as the one before; in all 29%."""


@register
@dataclass(frozen=True)
class Gaussian(NoiseOnGrid):
    """A bin moved by noise k of weight ``e^(-k^2 / (2 sigma^2))``: (epsilon, delta)-private.

    Sigma is the smallest for which normal noise keeps epsilon and ``delta`` on values D
    apart: ``D = bins - 1`` bins for a number, ``sqrt(k) (bins - 1)`` for a vector of k, all
    of whose coordinates are reported.  That the integer weights keep them is then computed
    from the weights themselves (:mod:`~sottovoce.mechanisms._gaussian_privacy`).

    ``reach`` cells lie beyond the bins on either side (by default 3 sigma, at most 16 times
    the bins); noise that leads farther is counted in the last one.  ``delta`` is a chance
    that epsilon may be exceeded: keep it far below one in the number of people.

    One random word a coordinate.  References: Balle, Wang 2018; Canonne, Kamath, Steinke 2020.

    >>> import sottovoce as sv
    >>> m = sv.Gaussian(sv.Interval(0, 10, bins=20), epsilon=1.0, delta=1e-5)
    >>> round(m.sigma / 19, 4), float(m.certificate().delta) < 1e-5
    (3.7306, True)
    """

    name: ClassVar[str] = "gaussian"
    weight_names: ClassVar[tuple[str, ...]] = ("center", "ratio", "change", "tail")
    domain: Interval | Vector  # type: ignore[assignment]

    _: KW_ONLY
    delta: float = 1e-6
    """Chance that epsilon may be exceeded: keep it far below one in the number of people.  Allowed:
    1e-12 to 0.5.
    """
    reach: int | None = None
    """Cells beyond the bins, on either side; farther noise is counted in the last one.  Allowed: 0
    to 2^16.  Unless given: 3 sigma, at most 16 times the bins.
    """

    # -- options and weights -------------------------------------------------------------

    def _check_domain(self) -> None:
        if not isinstance(self.domain, (Interval, Vector)):
            allowed = "an Interval, or a Vector of numbers"
            hint = declining_hint(self.domain)
            raise InvalidInput("domain", self.name, allowed, self.domain, hint=hint)

    def _check_options(self) -> None:
        super()._check_options()
        allowed = "a number from 1e-12 to 0.5"
        delta = check_decimal(self.delta, "delta", self.name, allowed)
        if not 1e-12 <= delta <= 0.5:
            raise InvalidInput("delta", self.name, allowed, self.delta)
        object.__setattr__(self, "delta", delta)
        if self.reach is None:
            object.__setattr__(self, "reach", self._default_reach())
        most = 0 if self.grid.bins == 1 else LARGEST_TABLE
        check_int(self.reach, "reach", self.name, 0, most)

    @property
    def grid(self) -> Interval:
        return self.domain.interval if isinstance(self.domain, Vector) else self.domain

    @property
    def coordinates(self) -> int:
        """How many numbers a person reports."""
        return self.domain.coordinates if isinstance(self.domain, Vector) else 1

    @property
    def cells_beyond(self) -> int:
        assert self.reach is not None
        return self.reach

    def _first_sigma(self) -> float:
        """The sigma of the formula, in bins."""
        distance = (self.grid.bins - 1) * math.sqrt(self.coordinates)
        return normal_scale(self.epsilon, self.delta) * distance

    def _default_reach(self) -> int:
        """Three sigma, where the last height keeps a third of the bits."""
        bins, sigma = self.grid.bins, self._first_sigma()
        if bins == 1:
            return 0
        spare = self.bits - self.bits // 3 - math.log2(2.6 * max(sigma, 1.0))
        farthest = sigma * math.sqrt(2 * math.log(2) * max(spare, 0.0))
        most = min(_TIMES_BINS * bins, LARGEST_TABLE)
        return max(0, min(math.ceil(3 * sigma), most, int(farthest) - bins))

    def _make_table(self, weights: tuple[int, ...]) -> NoiseTable:
        center, ratio, change, tail = weights
        return NoiseTable.make(center, ratio, change, tail, self.noise_size)

    def _derive_weights(self) -> tuple[int, ...]:
        """Those of the formula's sigma; where rounding spoils delta, of one a little larger."""
        if self.grid.bins == 1:
            return 1, 1, 1, 2 ** (self.bits - 1)
        sigma, more = self._first_sigma(), 1e-6
        for _ in range(_ATTEMPTS):
            weights, table = self._weights_of(Decimal(repr(sigma)))
            if self._delta_of(table) <= self.delta:
                self._keep(table)
                return weights
            sigma, more = sigma * (1 + more), 2 * more
        raise InvalidInput(
            "delta", self.name, f"larger for {self.bits} bits on {self.grid.bins} bins", self.delta,
            hint="Or take a larger epsilon, or fewer bins.",
        )  # fmt: skip

    def _weights_of(self, sigma: Decimal) -> tuple[tuple[int, ...], NoiseTable]:
        """Ratios ``e^(-1/(2 sigma^2))`` and ``e^(-1/sigma^2)``; the tail of the normal law."""
        size = self.noise_size
        with localcontext() as context:
            context.prec = 60
            square, scale = sigma * sigma, Decimal(2**FIXED_POINT)
            ratio = max(1, int((-1 / (2 * square)).exp() * scale))
            change = max(1, int((-1 / square).exp() * scale))
            z = min((size - Decimal("0.5")) / sigma, Decimal(9))
            beyond = normal_tail(z) * sigma * Decimal("2.50662827463100050241576528481")

        def table(center: int) -> NoiseTable:
            bare = NoiseTable.make(center, ratio, change, 0, size)
            wanted = int(center * beyond)
            if size > 1:  # no longer than a geometric tail: see gaussian_privacy
                longest = (bare.guarded[-1] * bare.last_ratio) // (2**FIXED_POINT - bare.last_ratio)
                wanted = min(wanted, longest >> GUARD)
            return replace(bare, tail=wanted)

        found = fitting_table(self.bits, table, self.name)
        if found.tail < 1:
            allowed = f"such that noise beyond it has some weight with {self.bits} bits"
            raise InvalidInput("reach", self.name, allowed, self.reach)
        return (found.center, ratio, change, found.tail), found

    def _delta_of(self, table: NoiseTable) -> Any:
        """The table's delta; 1 where it falls so unsteadily that no bound is known."""
        if not falls_steadily(table):
            return 1
        return delta_of_table(table, self.grid.bins, self.epsilon, self.coordinates)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.certificate().delta > self.delta:
            claim = f"such that no ratio exceeds e^{self.epsilon:g}, but with delta {self.delta:g}"
            raise InvalidInput("weights", self.name, claim, str(self.certificate()))

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise before censoring, in bins."""
        missing = (2**FIXED_POINT - self.weights[2]) / 2**FIXED_POINT
        return math.sqrt(-1 / math.log1p(-missing)) if 0 < missing < 1 else math.inf

    def certificate(self) -> Certificate:
        """e^epsilon, rounded down, with the delta that the integer table needs for it."""
        return self._certificate

    @cached_property
    def _certificate(self) -> Certificate:
        if self.grid.bins == 1:
            return Certificate(1, 1)
        ratio = exp_bounds(self.epsilon)[0]
        return Certificate(ratio.numerator, ratio.denominator, self._delta_of(self.noise))

    # -- vectors: the same noise on every coordinate -----------------------------------------

    @cached_property
    def coordinate(self) -> Gaussian:
        """The mechanism of a single coordinate."""
        if not isinstance(self.domain, Vector):
            return self
        return replace(self, domain=self.grid, weights=self._weights_document())

    def audit_plan(self) -> AuditPlan | None:
        return plan_for_sums(self) if isinstance(self.domain, Vector) else None

    @property
    def fields(self) -> tuple[IntField, ...]:
        if not isinstance(self.domain, Vector):
            return super().fields
        each = self.coordinate.cells
        return tuple(IntField(f"cell{j}", each) for j in range(self.coordinates))

    @property
    def cells(self) -> int:
        return super().cells * self.coordinates

    @property
    def blocks(self) -> int:
        return self.coordinates

    @property
    def words_per_report(self) -> int:
        return self.coordinates

    def randomize(self, values: Any, *, source: Source | None = None) -> Reports:
        """Randomize one value, or many: numbers, or rows of numbers for a vector."""
        if not isinstance(self.domain, Vector):
            return super().randomize(values, source=source)
        chosen = OperatingSystem() if source is None else source
        bins = self.domain.bins_of(values)
        if len(bins) > 1:
            warn_if_misaligned(self.domain.interval, values)
        return self.randomize_positions(bins, chosen)

    def randomize_indices(self, indices: Indices, source: Source | None = None) -> Reports:
        if isinstance(self.domain, Vector):
            raise InvalidInput(
                "indices", self.name, "left out: every coordinate of a row is reported", "indices",
                hint="Use randomize(rows), or the mechanism of one coordinate: .coordinate.",
            )  # fmt: skip
        return super().randomize_indices(indices, source)

    def respond(self, index: Any, source: Source) -> tuple[int, ...]:
        if not isinstance(self.domain, Vector):
            return super().respond(index, source)
        return tuple(self.coordinate.respond(int(bin_), source)[0] for bin_ in index)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        if not isinstance(self.domain, Vector):
            return super().respond_many(indices, source)
        return tuple(self.coordinate.respond_many(bins, source)[0] for bins in indices.T)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        if not isinstance(self.domain, Vector):
            return super().count(reports)
        each = self.coordinate.cells
        return np.concatenate(
            [np.bincount(column, minlength=each) for column in reports.columns.values()]
        )

    def cell_expression(self) -> CellExpression | None:
        return FieldValue(self.fields[0].name) if self.coordinates == 1 else None

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """For a vector coordinate by coordinate: noise depends on nothing else.

        Inputs have weight ``marginal / k``, so the counts of each coordinate, whatever
        their sum, stand for the histogram of all people there.
        """
        if not isinstance(self.domain, Vector):
            return super()._simulate(counts, source)
        people, parts = int(counts.sum()), counts.reshape(self.coordinates, -1)
        if parts.sum(axis=1).min() == 0:
            owner, given = f"simulate of {self.name}", "a coordinate without any"
            raise InvalidInput("true_counts", owner, "of people at every coordinate", given)
        ends = np.rint(np.cumsum(parts, axis=1) * (people / parts.sum(axis=1, keepdims=True)))
        histograms = np.diff(ends.astype(np.int64), axis=1, prepend=0)
        return np.concatenate([self.coordinate._simulate(part, source) for part in histograms])

    def _channel(self) -> Channel:
        if not isinstance(self.domain, Vector):
            return super()._channel()
        return CoordinatesChannel(self.coordinate.channel(), self.coordinates, every=True)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(-1, 1, bins=16), 1.0, delta=1e-3, reach=20)
        yield cls(Interval(0, 120, bins=24), 4.0, delta=1e-6, reach=16)
        yield cls(Interval(0, 5, bins=5), 1.5, delta=0.05, bits=16)

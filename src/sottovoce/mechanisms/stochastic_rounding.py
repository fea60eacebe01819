"""Stochastic rounding: one bit a report, and only the mean in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights, gains_of_outputs
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import register
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._fine_grid import FineGrid

__all__ = ["StochasticRounding"]


@register
@dataclass(frozen=True)
class StochasticRounding(FineGrid):
    """``high`` or ``low``: high with a chance that grows with the number, from 1/(E+1) to E/(E+1).

    On [-1, 1] a report stands for ``+-(E+1)/(E-1)``; its mean is the number v and its
    variance ``((E+1)/(E-1))^2 - v^2``.  Two distributions with one mean give the same
    reports: only the mean can be told.

    On a grid of ``bins * steps`` positions, position x reports high with weight
    ``base + x unit``.  One random word a report.  Reference: Duchi, Jordan, Wainwright 2018.

    >>> import sottovoce as sv
    >>> m = sv.StochasticRounding(sv.Interval(0, 10, bins=20), epsilon=1.0)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1
    """

    name: ClassVar[str] = "stochastic-rounding"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"sr": {}}
    default_positions: ClassVar[int] = 2**20
    largest_grid: ClassVar[int] = 2**40
    weight_names: ClassVar[tuple[str, ...]] = ("base", "unit")

    def _check_domain(self) -> None:
        super()._check_domain()
        if self.domain.uneven is not None or self.domain.numbers is None:
            allowed = (
                "an Interval of equal bins: its reports identify a mean, and only over such bins"
            )
            hint = "Frequency oracles, hierarchies and waves take bins of any widths."
            raise InvalidInput("domain", self.name, allowed, self.domain, hint=hint)

    def _check_options(self) -> None:
        super()._check_options()
        if self.positions == 1:
            raise InvalidInput("steps", self.name, "at least 2 where there is one bin", self.steps)

    def _derive_weights(self) -> tuple[int, int]:
        """``base = floor(2^bits / (E + 1))``, the unit as large as E, below e^epsilon, allows."""
        E, last = exp_bounds(self.epsilon)[0], self.positions - 1
        base = int(2**self.bits / (E + 1))
        unit = int((E - 1) * base / last)
        if unit < 1:
            raise self._too_coarse()
        return base, unit

    def _check_weights(self, weights: Any) -> tuple[int, int]:
        base, unit = super()._check_weights(weights)
        if not (base >= 1 and unit >= 1 and self._total(base, unit) <= 2**63):
            allowed = "positive and of a total of at most 2^63"
            raise InvalidInput("weights", self.name, allowed, weights)
        return base, unit

    def _total(self, base: int, unit: int) -> int:
        return 2 * base + (self.positions - 1) * unit

    @property
    def total(self) -> int:
        """The sum of both weights of a position."""
        return self._total(*self.weights)

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("high", 2),)

    @property
    def cells(self) -> int:
        return 2

    def respond(self, index: int, source: Source) -> tuple[int]:
        base, unit = self.weights
        return (int(uniform_below(self.total, source) < base + index * unit),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        base, unit = self.weights
        drawn = uniform_below_many(self.total, len(indices), source)
        bound = np.uint64(base) + indices.astype(np.uint64) * np.uint64(unit)
        return ((drawn < bound).astype(np.uint8),)

    def cell_expression(self) -> CellExpression:
        return FieldValue("high")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Anywhere in its bin alike, a person says high with the bin's mean chance."""
        channel = self.channel()
        assert isinstance(channel, RoundingChannel)
        high = int(source.generator().binomial(counts, channel.chances).sum())
        return np.array([int(counts.sum()) - high, high])

    def _channel(self) -> RoundingChannel:
        base, unit = self.weights
        middles = np.arange(self.domain.size) * self.each + (self.each - 1) / 2
        return RoundingChannel(base / self.total + middles * (unit / self.total))

    def certificate(self) -> Certificate:
        base, unit = self.weights
        return Certificate(base + (self.positions - 1) * unit, base)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Interval(-1, 1, bins=10), 1.0)
        yield cls(Interval(0, 5, bins=4), 2.0, steps=2, bits=16)


class RoundingChannel(Channel):
    """Two rows: the chance of high, which is linear in the input, and of low."""

    cells = 2
    identifies_distribution = False

    def __init__(self, chances: Floats) -> None:
        self.chances, self.inputs = chances, len(chances)

    def forward(self, shares: Floats) -> Floats:
        high = float(self.chances @ shares)
        return np.array([float(shares.sum()) - high, high])

    def adjoint(self, values: Floats) -> Floats:
        return values[0] + (values[1] - values[0]) * self.chances

    def forward_rows(self, shares: Floats) -> Floats:
        """:meth:`forward` of every row."""
        high = shares @ self.chances
        return np.stack([shares.sum(axis=1) - high, high], axis=1)

    def adjoint_rows(self, values: Floats) -> Floats:
        """:meth:`adjoint` of every row."""
        low, high = values[:, :1], values[:, 1:]
        return low + (high - low) * self.chances

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        return gains_of_outputs(self.adjoint, np.array([0.0, 1.0]), weights)

"""The number of a key-value report: one law for a true number, another for a made-up one.

A true number at position x gives output y with weight ``low`` whatever y is, and on top of it an
*added* part near x.  A made-up number is uniform over the outputs: it has the background
alone.  Written so, rounding and the piecewise mechanism differ in little:

=========  ===================  =======================================  ==================
numbers    outputs              added at x                               in all
=========  ===================  =======================================  ==================
rounding   2 (low, high)        ``x unit`` to high, the rest to low      ``(G - 1) unit``
piecewise  ``G + width - 1``    ``unit`` to each of ``x .. x + width-1``  ``width unit``
=========  ===================  =======================================  ==================

with positions ``x = 0 .. G - 1``.  Reports hold cells, of one output (rounding) or of many: what is
coarser tells no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._grid_channel import GridChannel, Shape
from sottovoce.mechanisms.stochastic_rounding import RoundingChannel

__all__ = ["PiecewiseNumbers", "ReportedNumbers", "RoundedNumbers"]

Counts = NDArray[np.int64]
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class ReportedNumbers(ABC):
    """The integers of one of the two ways, for an interval of ``bins`` bins of ``steps`` positions."""

    weight_names: ClassVar[tuple[str, ...]]
    field: ClassVar[str]

    bins: int
    steps: int
    cells: int
    weights: tuple[int, ...]

    @property
    def positions(self) -> int:
        """G, the positions of the grid."""
        return self.bins * self.steps

    @property
    @abstractmethod
    def low(self) -> int:
        """The weight of every output."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many there are."""

    @property
    @abstractmethod
    def added(self) -> int:
        """The sum of the added part, the same at all positions."""

    @property
    @abstractmethod
    def top(self) -> int:
        """The most that is added to one output."""

    @property
    def total(self) -> int:
        """The weight of all outputs at a position."""
        return self.low * self.outputs + self.added

    @staticmethod
    @abstractmethod
    def derive(
        bins: int, steps: int, backgrounds: int, gain: Fraction, bits: int
    ) -> tuple[int, ...]:
        """The weights in which an output gains at most ``gain`` times ``low``, and the added part
        with the background of ``backgrounds`` numbers is at most ``2^bits``."""

    @abstractmethod
    def added_outputs(self, places: Indices, drawn: Words) -> Indices:
        """The outputs of draws below ``added``: the added part of the law."""

    @cached_property
    def edges(self) -> Counts:
        """The first output of every cell, and one past the last."""
        return -(-np.arange(self.cells + 1) * self.outputs // self.cells)

    def cells_of(self, outputs: Indices) -> Indices:
        """The cell of every output: ``floor(y cells / outputs)``."""
        return outputs * self.cells // self.outputs

    @cached_property
    def uniform(self) -> Floats:
        """The chances of cells for a made-up number."""
        return np.diff(self.edges) / self.outputs

    def supported(self, place: int) -> NDArray[np.bool_]:
        """Which cells a position makes more likely, its added part covering them wholly."""
        inside = self._is_added(place, np.arange(self.outputs))
        return np.logical_and.reduceat(inside, self.edges[:-1])

    @abstractmethod
    def _is_added(self, place: int, outputs: Indices) -> NDArray[np.bool_]: ...

    @abstractmethod
    def channel(self) -> RoundingChannel | GridChannel:
        """The law of a true number, bin by bin."""

    @abstractmethod
    def simulate_added(self, counts: Counts, random: Any) -> Counts:
        """Cells of people (rows of bins) who all draw from the added part, anywhere in their bins."""


@dataclass(frozen=True)
class RoundedNumbers(ReportedNumbers):
    """High or low: high with a chance that grows with the number."""

    weight_names: ClassVar[tuple[str, ...]] = ("base", "unit")
    field: ClassVar[str] = "high"

    @staticmethod
    def derive(
        bins: int, steps: int, backgrounds: int, gain: Fraction, bits: int
    ) -> tuple[int, ...]:
        """``base`` and ``unit``, ``added`` as near to ``gain base`` as whole units are."""
        base = int(2**bits / (2 * backgrounds + gain))
        return base, int(gain * base / (bins * steps - 1))

    @property
    def low(self) -> int:
        return self.weights[0]

    @property
    def outputs(self) -> int:
        return 2

    @property
    def added(self) -> int:
        return (self.positions - 1) * self.weights[1]

    @property
    def top(self) -> int:
        return self.added

    def added_outputs(self, places: Indices, drawn: Words) -> Indices:
        high = drawn < places.astype(np.uint64) * np.uint64(self.weights[1])
        return high.astype(np.int64)

    def _is_added(self, place: int, outputs: Indices) -> NDArray[np.bool_]:
        return outputs == (2 * place >= self.positions)

    def channel(self) -> RoundingChannel:
        base, unit = self.weights
        return RoundingChannel(base / self.total + self._middles * (unit / self.total))

    @property
    def _middles(self) -> Floats:
        return np.arange(self.bins, dtype=np.float64) * self.steps + (self.steps - 1) / 2

    def simulate_added(self, counts: Counts, random: Any) -> Counts:
        high = random.binomial(counts, self._middles / (self.positions - 1)).sum(axis=1)
        return np.stack([counts.sum(axis=1) - high, high], axis=1)


@dataclass(frozen=True)
class PiecewiseNumbers(ReportedNumbers):
    """A window of ``width`` outputs that moves with the number."""

    weight_names: ClassVar[tuple[str, ...]] = ("width", "low", "unit")
    field: ClassVar[str] = "cell"

    @staticmethod
    def derive(
        bins: int, steps: int, backgrounds: int, gain: Fraction, bits: int
    ) -> tuple[int, ...]:
        """``width``, ``low`` and ``unit``; the width is that of the piecewise mechanism at a ratio
        of ``1 + gain``, the grid over ``sqrt(1 + gain)``."""
        positions = bins * steps
        root = Fraction(isqrt(int((1 + gain) * 2**128)), 2**64)
        width = max(1, round((positions - 1) / root))
        low = int(2**bits / (backgrounds * (positions + width - 1) + gain * width))
        return width, low, int(gain * low)

    @property
    def width(self) -> int:
        """Outputs in the window."""
        return self.weights[0]

    @property
    def low(self) -> int:
        return self.weights[1]

    @property
    def outputs(self) -> int:
        return self.positions + self.width - 1

    @property
    def added(self) -> int:
        return self.width * self.top

    @property
    def top(self) -> int:
        return self.weights[2]

    def added_outputs(self, places: Indices, drawn: Words) -> Indices:
        return places + (drawn // np.uint64(self.top)).astype(np.int64)

    def _is_added(self, place: int, outputs: Indices) -> NDArray[np.bool_]:
        return (outputs >= place) & (outputs < place + self.width)

    def channel(self) -> GridChannel:
        shape = Shape(np.full(self.width, self.top, dtype=np.int64), [0, self.width])
        return GridChannel(
            bins=self.bins, steps=self.steps, cell_edges=self.edges, shape=shape,
            low=self.low, total=self.total,
        )  # fmt: skip

    def simulate_added(self, counts: Counts, random: Any) -> Counts:
        rows, people = len(counts), int(counts.sum())
        ends, cells = np.cumsum(counts.ravel()), np.zeros(rows * self.cells, dtype=np.int64)
        for start in range(0, people, 2**20):
            inputs = np.searchsorted(ends, np.arange(start, min(people, start + 2**20)), "right")
            row, bin_ = np.divmod(inputs, self.bins)
            outputs = bin_ * self.steps + random.integers(0, self.steps, len(inputs))
            outputs += random.integers(0, self.width, len(inputs))
            cells += np.bincount(row * self.cells + self.cells_of(outputs), minlength=len(cells))
        return cells.reshape(rows, self.cells)

"""What square wave, piecewise mechanism and general waves share: a shape on a fine grid.

The interval is cut into ``bins * steps`` positions.  A device at position x reports
an output y: with weight ``low`` any of the grid, and on top of it the weight of a
shape near x.  Everything is an integer, and the grid is declared: no report can
rule out a position, and its weight differs between positions by at most
``1 + top / low <= e^epsilon``.

On a line the outputs are ``0 .. positions + width - 2`` and the shape begins at x
(its middle is ``x + width // 2``); on a ring outputs are positions and the shape is
centred at x.  The collector counts outputs in cells of (nearly) one width.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._fine_grid import FineGrid
from sottovoce.mechanisms._grid_channel import GridChannel, Shape

__all__ = ["GridWave"]

_FEWEST_CELLS = 256


@dataclass(frozen=True)
class GridWave(FineGrid):
    """A shape over a background, on a grid of ``bins * steps`` positions."""

    default_positions: ClassVar[int] = 2**16
    largest_grid: ClassVar[int] = 2**22
    weight_names: ClassVar[tuple[str, ...]] = ("width", "low", "unit")

    _: KW_ONLY
    output_bins: int | None = None
    """Cells in which outputs are counted.  Allowed: 2 to the number of outputs.  Unless given: as
    many as bins, at least 256; with steps=1 every output, on a ring the bins.
    """

    # -- what a subclass says ------------------------------------------------------

    @property
    def on_ring(self) -> bool:
        """Whether the last position is the first one's neighbour."""
        return False

    @abstractmethod
    def _derive_width(self) -> int:
        """How many outputs the shape covers."""

    def _cap(self, width: int) -> int:
        """The height of the shape in units; 1 for a square."""
        return 1

    # -- options and weights ---------------------------------------------------------

    def _derive_weights(self) -> tuple[int, int, int]:
        """``low = floor(2^bits / (outputs + (E - 1) area))``, E below e^epsilon.

        ``area`` is the sum of the shape over its height, and the height of the shape,
        ``unit`` times its cap, is at most ``(E - 1) low``: the total fits into 2^bits
        and the worst ratio ``1 + height / low`` is at most E.
        """
        width = self._derive_width()
        cap, gain = self._cap(width), exp_bounds(self.epsilon)[0] - 1
        area, outputs = self._units(width), self._outputs(width)
        low = int(2**self.bits / (outputs + gain * area / cap))
        unit = int(gain * low / cap)
        if unit < 1:
            raise self._too_coarse()
        return width, low, unit

    def _check_weights(self, weights: Any) -> tuple[int, int, int]:
        width, low, unit = super()._check_weights(weights)
        most = self.positions if self.on_ring else self.largest_grid
        check_int(width, "weight width", self.name, 1, most)
        total = low * self._outputs(width) + unit * self._units(width)
        if not (low >= 1 and unit >= 1 and total <= 2**63):
            allowed = "positive and of a total of at most 2^63"
            raise InvalidInput("weights", self.name, allowed, weights)
        return width, low, unit

    def _complete_options(self) -> None:
        outputs = self.outputs
        if self.output_bins is None:
            object.__setattr__(self, "output_bins", self._default_cells())
        check_int(self.output_bins, "output_bins", self.name, min(2, outputs), outputs)

    def _default_cells(self) -> int:
        if self.steps == 1:
            return self.outputs
        fewest = 2 if self.on_ring else _FEWEST_CELLS
        return min(max(self.domain.size, fewest), self.outputs)

    @property
    def width(self) -> int:
        """How many outputs the shape covers."""
        return int(self.weights[0])

    def _outputs(self, width: int) -> int:
        return self.positions if self.on_ring else self.positions + width - 1

    def _units(self, width: int) -> int:
        """The sum of the shape in units: a trapezoid that rises to ``cap`` in whole units."""
        cap = self._cap(width)
        return cap * (width - cap + 1)

    @property
    def outputs(self) -> int:
        """How many different reports there are."""
        return self._outputs(self.width)

    @property
    def total(self) -> int:
        """The sum of all weights of a position."""
        width, low, unit = self.weights
        return int(low * self._outputs(width) + unit * self._units(width))

    @cached_property
    def _shape(self) -> Shape:
        width, _, unit = self.weights
        cap, offsets = self._cap(width), np.arange(width, dtype=np.int64)
        heights = np.minimum(np.minimum(offsets + 1, width - offsets), cap)
        breaks = sorted({0, cap - 1, width - cap + 1, width})
        return Shape(heights * np.int64(unit), breaks)

    def _offsets(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """The offset that holds each unit of the shape's sum, counted from its left end.

        Heights rise 1, 2, ... to the cap, stay there, and fall again.  Offset z begins after
        ``z (z + 1) / 2`` units on the way up; the way down is its mirror image.
        """
        cap, last, width = self._cap(self.width), self._units(self.width) - 1, self.width
        if cap == 1:
            return units
        rise = cap * (cap - 1) // 2
        flat = cap - 1 + (units - rise) // cap
        falls = np.where(last - units < rise, width - 1 - _triangle(last - units), flat)
        return np.where(units < rise, _triangle(units), falls)

    # -- device ------------------------------------------------------------------------

    @property
    def fields(self) -> tuple[IntField]:
        return (IntField("output", self.outputs),)

    def respond(self, index: int, source: Source) -> tuple[int]:
        (width, low, unit), units = self.weights, self._units(self.width)
        drawn = uniform_below(self.total, source)
        if drawn >= unit * units:
            return ((drawn - unit * units) // low,)
        offset = int(self._offsets(np.array([drawn // unit]))[0])
        return ((index + offset - width // 2) % self.outputs if self.on_ring else index + offset,)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column]:
        (width, low, unit), units = self.weights, self._units(self.width)
        drawn = uniform_below_many(self.total, len(indices), source)
        inside = drawn < np.uint64(unit * units)
        offsets = self._offsets((np.where(inside, drawn, 0) // np.uint64(unit)).view(np.int64))
        near = indices + offsets
        if self.on_ring:
            near = (near - width // 2) % self.outputs
        anywhere = ((drawn - np.uint64(unit * units)) // np.uint64(low)).view(np.int64)
        return (np.where(inside, near, anywhere),)

    # -- collector ---------------------------------------------------------------------

    @property
    def cells(self) -> int:
        assert self.output_bins is not None
        return self.output_bins

    @cached_property
    def cell_edges(self) -> NDArray[np.int64]:
        """The first output of every cell, and one past the last: cell ``floor(y cells / outputs)``."""
        return -(-np.arange(self.cells + 1) * self.outputs // self.cells)

    def cell_expression(self) -> CellExpression:
        return FieldValue("output") * self.cells // self.outputs

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """Everybody away from the shape is alike; the others are drawn, bin by bin and within it."""
        random, (width, _, unit) = source.generator(), self.weights
        near = random.binomial(counts, unit * self._units(width) / self.total)
        sizes = np.diff(self.cell_edges)
        cells = random.multinomial(int((counts - near).sum()), sizes / sizes.sum())
        ends, people = np.cumsum(near), int(near.sum())
        for start in range(0, people, 2**20):
            bins = np.searchsorted(ends, np.arange(start, min(people, start + 2**20)), "right")
            outputs = bins * self.each + random.integers(0, self.each, len(bins))
            outputs += self._offsets(random.integers(0, self._units(width), len(bins)))
            if self.on_ring:
                outputs = (outputs - width // 2) % self.outputs
            found = self.cell_expression().of_columns({"output": outputs})
            cells += np.bincount(found, minlength=self.cells)
        return cells

    # -- analyst and auditor -------------------------------------------------------------

    def _channel(self) -> GridChannel:
        return GridChannel(
            bins=self.domain.size, steps=self.each, cell_edges=self.cell_edges, shape=self._shape,
            low=self.weights[1], total=self.total, ring=self.on_ring,
            origin=self.width // 2 if self.on_ring else 0,
        )  # fmt: skip

    def certificate(self) -> Certificate:
        """The top of the shape over the background: no two positions differ by more.

        They differ by that wherever an output at the top for one is out of the shape of another.  A
        grid of one position tells nothing.
        """
        width, low, unit = self.weights
        if self.positions == 1:
            return Certificate(1, 1)
        return Certificate(low + unit * self._cap(width), low)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Reports within the shape of a position."""
        offsets = reports.columns["output"].astype(np.int64) - index
        if self.on_ring:
            offsets = (offsets + self.width // 2) % self.outputs
        return np.asarray((offsets >= 0) & (offsets < self.width))


def _triangle(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The greatest z with ``z (z + 1) / 2`` at most each number; exact below 2^50."""
    found = ((np.sqrt(8.0 * numbers + 1) - 1) / 2).astype(np.int64)
    found -= found * (found + 1) // 2 > numbers
    found += (found + 1) * (found + 2) // 2 <= numbers
    return found

"""The channel of a mechanism that adds a bounded shape on a fine grid.

A device at position x reports output y with weight ``low + k(y - x)``, where the
shape k is zero outside ``0 .. len(k) - 1`` and linear between a few breaks.
Positions form bins of ``steps``, people being anywhere in their bin alike, and
outputs form cells.  An entry of the channel is therefore

    A[c, i] = [low |cell c| + 1/steps sum over x in bin i, y in cell c of k(y - x)] / total

With ``K1(t) = sum over z < t of k(z)`` and ``K2(t) = sum over s < t of K1(s)`` the
double sum over ``x0 <= x < x1`` and ``y0 <= y < y1`` is

    K2(y1 - x0 + 1) - K2(y1 - x1 + 1) - K2(y0 - x0 + 1) + K2(y0 - x1 + 1)

Where all offsets lie between two breaks this is linear in i, so a row is made of a
few linear pieces and of single entries near the breaks: products take
O(bins + cells).  On a ring offsets are taken modulo the number of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights, gains_of_outputs
from sottovoce.kernels.em import SegmentsEm
from sottovoce.kernels.segments import Segments

__all__ = ["GridChannel", "Shape"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shape:
    """What is added to the background: integer weights at offsets 0, 1, ...

    Between two neighbouring ``breaks`` (the first 0, the last the length) the
    weights are linear.
    """

    weights: Ints
    breaks: Sequence[int]

    @cached_property
    def _second_sums(self) -> NDArray[np.longdouble]:
        """``K2(0), K2(1), ..., K2(len + 1)``, in the longest floats there are."""
        first = np.concatenate([[0], np.cumsum(self.weights)]).astype(np.longdouble)
        return np.concatenate([[np.longdouble(0)], np.cumsum(first)])

    def second_sum(self, offsets: Ints) -> NDArray[np.longdouble]:
        """K2 at any offset: 0 before the shape, linear behind it."""
        table, length = self._second_sums, len(self.weights)
        inside = table[np.clip(offsets, 0, length + 1)]
        behind = np.maximum(offsets - (length + 1), 0).astype(np.longdouble)
        return inside + behind * np.longdouble(int(self.weights.sum()))


class GridChannel(Channel):
    """Background and shape, bin by bin and cell by cell."""

    def __init__(
        self, *, bins: int, steps: int, cell_edges: Ints, shape: Shape, low: int, total: int,
        ring: bool = False, origin: int = 0,
    ) -> None:  # fmt: skip
        """``cell_edges`` are outputs; on a ring the shape's offset 0 is at ``x - origin``."""
        self.inputs, self.cells, self.ring = bins, len(cell_edges) - 1, ring
        self._steps, self._edges, self._shape = steps, cell_edges, shape
        self._low, self._total, self._origin = low, total, origin

    # -- entries -----------------------------------------------------------------

    def _added(self, cells: Ints, bins: Ints) -> Floats:
        """The shape's part of entries, bins counted on beyond the domain on a ring."""
        first, last = self._edges[cells] + self._origin, self._edges[cells + 1] + self._origin
        left, right = bins * self._steps, (bins + 1) * self._steps
        k2 = self._shape.second_sum
        summed = k2(last - left + 1) - k2(last - right + 1)
        summed -= k2(first - left + 1) - k2(first - right + 1)
        scale = np.longdouble(self._total) * self._steps
        return (summed / scale).astype(np.float64)

    @cached_property
    def segments(self) -> Segments:
        """The rows in pieces."""
        rows = np.arange(self.cells)
        first = self._edges[:-1] + self._origin
        last = self._edges[1:] + self._origin
        steps, breaks = self._steps, self._shape.breaks
        # Piece j has all its offsets between breaks j and j + 1; larger bins, smaller offsets.
        stops = np.stack([(first + 1 - z) // steps for z in breaks[:-1]], axis=1)
        starts = np.stack([-((z - last) // steps) for z in breaks[1:]], axis=1)
        starts = np.minimum(starts, stops)
        lowest = -((breaks[-1] - 2 - first) // steps) - 1
        highest = (last - 1) // steps + 1
        # What lies between the pieces is entered one by one.
        gap_starts = np.column_stack([stops, np.minimum(lowest, starts[:, -1])])
        gap_stops = np.column_stack([np.maximum(highest, stops[:, 0]), starts])
        turns = (-1, 0, 1) if self.ring else (0,)
        pieces = [self._pieces(rows, starts, stops, turn) for turn in turns]
        pointer, entries, values = self._entries(rows, gap_starts, gap_stops)
        joined = [np.ascontiguousarray(np.hstack(part)) for part in zip(*pieces, strict=True)]
        starts, stops, levels, slopes = joined
        base = self._low * np.diff(self._edges) / self._total
        return Segments(self.inputs, base, starts, stops, levels, slopes, pointer, entries, values)

    def _pieces(self, rows: Ints, starts: Ints, stops: Ints, turn: int) -> tuple[Any, ...]:
        """Starts, stops, levels and slopes of the pieces that fall into the domain after a turn."""
        around, middle = turn * self.inputs, self.inputs // 2
        starts = np.clip(starts + around, 0, self.inputs)
        stops = np.maximum(np.clip(stops + around, 0, self.inputs), starts)
        cells = np.broadcast_to(rows[:, None], starts.shape)
        one = self._added(cells, starts - around)
        other = self._added(cells, stops - 1 - around)
        slopes = (other - one) / np.maximum(stops - 1 - starts, 1)
        slopes[:, [self._flat(j) for j in range(starts.shape[1])]] = 0.0
        levels = one - slopes * (starts - middle)
        empty = stops <= starts
        levels[empty], slopes[empty] = 0.0, 0.0
        return starts, stops, levels, slopes

    def _flat(self, piece: int) -> bool:
        one, other = self._shape.breaks[piece], self._shape.breaks[piece + 1] - 1
        return bool(self._shape.weights[one] == self._shape.weights[other])

    def _entries(self, rows: Ints, starts: Ints, stops: Ints) -> tuple[Ints, Ints, Floats]:
        if not self.ring:
            starts, stops = np.clip(starts, 0, self.inputs), np.clip(stops, 0, self.inputs)
        lengths = np.maximum(stops - starts, 0)
        cells = np.repeat(np.broadcast_to(rows[:, None], starts.shape).ravel(), lengths.ravel())
        within = np.arange(lengths.sum()) - np.repeat(
            np.cumsum(lengths.ravel()) - lengths.ravel(), lengths.ravel()
        )
        bins = np.repeat(starts.ravel(), lengths.ravel()) + within
        pointer = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
        return pointer, bins % self.inputs, self._added(cells, bins)

    # -- operators ---------------------------------------------------------------

    def forward(self, shares: Floats) -> Floats:
        return self.segments.forward(shares)

    def adjoint(self, values: Floats) -> Floats:
        return self.segments.adjoint(values)

    def forward_rows(self, shares: Floats) -> Floats:
        """:meth:`forward` of every row."""
        return self.segments.forward_rows(shares)

    def adjoint_rows(self, values: Floats) -> Floats:
        """:meth:`adjoint` of every row."""
        return self.segments.adjoint_rows(values)

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        fused = self.segments.em_step(shares, cells)
        return super().em_step(shares, cells) if fused is None else fused

    def em_run(self, cells: Floats, stride: int = 1) -> SegmentsEm | None:
        return SegmentsEm.of(self.segments, cells) if stride == 1 else None

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """For the mean the plain average of reports, each taken at the middle of its cell."""
        if self.ring:
            return None  # the mean of times of day depends on where the day begins
        middles = (self._edges[:-1] + self._edges[1:] - 1) / 2
        return gains_of_outputs(self.adjoint, middles, weights)

    @cached_property
    def _kernel(self) -> Floats | None:
        aligned = self.ring and self.cells == self.inputs
        return self.forward(np.eye(1, self.inputs)[0]) if aligned else None

    @property
    def kernel(self) -> Floats | None:
        return self._kernel

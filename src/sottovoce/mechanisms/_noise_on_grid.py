"""What Laplace, Gaussian and noise on degrees share: symmetric integer noise on the bins of an interval.

A device in bin x draws a noise k and reports the cell ``x + reach + k``, or the end cell
where that lies beyond.  Noise k has the integer weight ``h(|k|)``.  Noise of
``size = bins + reach - 1`` and more ends in an end cell whatever x is, so one weight
``tail`` stands for all of it, on either side.  Every bin thus draws from one table with
one total, and the weight of an end cell is a tail sum ``T(j) = h(j) + h(j+1) + ... + tail``.

The heights come from three integers by a recursion in integers, so that a survey's JSON
stays small and a device computes no exponential (B = 128, and 64 bits of guard):

    g(0) = center 2^64     g(k+1) = floor(g(k) q(k) / 2^B)     q(k+1) = floor(q(k) change / 2^B)

with ``q(0) = ratio``, and ``h(k) = floor(g(k) / 2^64) + least``, never 0: no report rules out
a bin.  ``least`` is 1 unless a mechanism needs more.  With ``change = 2^B`` heights are
geometric (Laplace), below it Gaussian.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import Source, uniform_below, uniform_below_many
from sottovoce.channels.base import Channel
from sottovoce.channels.dense import DenseChannel
from sottovoce.channels.noise import CensoredNoiseChannel
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval

__all__ = ["FIXED_POINT", "GUARD", "LARGEST_TABLE", "NoiseOnGrid", "NoiseTable", "fitting_table"]

FIXED_POINT = 128
"""Ratios are integers over 2^128."""
GUARD = 64
"""Heights are carried with 64 binary digits behind the point."""
LARGEST_TABLE = 2**16
"""Most bins, and most cells beyond them on either side: at most 34 MB, a fifth of a second."""


@dataclass(frozen=True)
class NoiseTable:
    """The law of the noise: ``guarded[k]`` is g(k), ``last_ratio`` the q that made the last one."""

    guarded: tuple[int, ...]
    last_ratio: int
    tail: int
    least: int = 1

    @classmethod
    def make(
        cls, center: int, ratio: int, change: int, tail: int, size: int, *, least: int = 1
    ) -> NoiseTable:
        """Run the recursion for ``size`` heights; it is the same on every machine."""
        guarded, last = [center << GUARD] * min(size, 1), ratio
        for _ in range(size - 1):
            guarded.append((guarded[-1] * ratio) >> FIXED_POINT)
            last, ratio = ratio, (ratio * change) >> FIXED_POINT
        return cls(tuple(guarded), last, tail, least)

    @property
    def center(self) -> int:
        """What the recursion began with."""
        return self.guarded[0] >> GUARD

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """The weights h(0), h(1), ... of no noise, of noise 1 and of noise -1, ..."""
        return tuple((height >> GUARD) + self.least for height in self.guarded)

    @cached_property
    def total(self) -> int:
        """The sum of all weights."""
        center = self.heights[0] if self.heights else 0
        return 2 * (sum(self.heights) + self.tail) - center

    @cached_property
    def bounds(self) -> list[int]:
        """Running sums from noise ``-size``: a draw below bound i, not below the one before, is i."""
        return list(accumulate([self.tail, *self.heights[:0:-1], *self.heights, self.tail]))

    # Two statements on privacy, for noise without cells beyond the bins.  Heights fall with
    # distance, and so do tail sums.

    @cached_property
    def worst_ratio(self) -> Fraction:
        """The worst ratio of a cell's weights between any two bins.

        At an end it is ``T(0) / T(bins - 1)``.  A cell between the ends is at distance 0 from
        one bin and at most ``bins - 2`` from another.
        """
        heights = self.heights
        ends = Fraction(sum(heights) + self.tail, self.tail)
        return max(ends, Fraction(heights[0], heights[-1])) if heights else ends

    @cached_property
    def worst_step(self) -> Fraction:
        """The worst ratio of a cell's weights between two bins next to each other.

        Between the ends it is some ``h(k) / h(k+1)``.  At an end it is some ``T(j) / T(j+1)``,
        which for the last j is ``(h + tail) / tail`` and for others no worse than the worse of
        ``h(j) / h(j+1)`` and ``T(j+1) / T(j+2)``, the sums of whose parts it is a ratio of.
        """
        if not self.heights:
            return Fraction(1)
        worst = Fraction(self.heights[-1] + self.tail, self.tail)
        for near, far in pairwise(self.heights):
            if near * worst.denominator > far * worst.numerator:
                worst = Fraction(near, far)
        return worst


def fitting_table(bits: int, make: Callable[[int], NoiseTable], owner: str) -> NoiseTable:
    """The table of a center for which its total is at most 2^bits, and nearly that."""
    center = limit = 2**bits
    while center > 0:
        table = make(center)
        if table.total <= limit:
            return table
        # Smaller heights are rounded up as much as larger ones, by ``least`` each.
        center = center * (limit - 2 * table.least * len(table.guarded)) // table.total
    raise InvalidInput(
        "bits", owner, "more for this number of bins", bits, hint="The noise needs a finer table."
    )


@dataclass(frozen=True)
class NoiseOnGrid(Mechanism):
    """Noise on bins, censored at both ends; a subclass says which noise and how private."""

    domain: Interval

    _: KW_ONLY
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    # -- what a subclass says --------------------------------------------------------

    @property
    def grid(self) -> Interval:
        """The interval whose bins are randomized."""
        return self.domain

    @property
    def cells_beyond(self) -> int:
        """How many cells lie beyond the bins, on either side."""
        return 0

    @abstractmethod
    def _make_table(self, weights: tuple[int, ...]) -> NoiseTable:
        """The noise that some weights stand for."""

    # -- options and weights -----------------------------------------------------------

    def _check_options(self) -> None:
        check_bits(self.bits, self.name)
        if self.grid.bins > LARGEST_TABLE:
            allowed = f"of at most {LARGEST_TABLE} bins"
            raise InvalidInput("domain", self.name, allowed, f"{self.grid.bins} bins")

    def _check_weights(self, weights: Any) -> tuple[int, ...]:
        given: tuple[int, ...] = super()._check_weights(weights)
        named = dict(zip(self.weight_names, given, strict=True))
        ratios = [named[name] for name in ("ratio", "change") if name in named]
        fine = (
            min(given) >= 1 and max(ratios) <= 2**FIXED_POINT and max(given[0], given[-1]) < 2**63
        )
        if not fine or self._keep(self._make_table(given)).total > 2**63:
            allowed = "positive, ratios of at most 2^128, the total at most 2^63"
            raise InvalidInput("weights", self.name, allowed, weights)
        return given

    def _keep(self, table: NoiseTable) -> NoiseTable:
        """Not to be made again from the weights."""
        object.__setattr__(self, "noise", table)
        return table

    @property
    def noise_size(self) -> int:
        """From which size on noise always ends in an end cell."""
        return self.grid.bins + self.cells_beyond - 1

    @cached_property
    def noise(self) -> NoiseTable:
        """The law of the noise, in integers."""
        return self._make_table(self.weights)

    # -- device --------------------------------------------------------------------------

    @property
    def fields(self) -> tuple[IntField, ...]:
        return (IntField("cell", self.cells),)

    @property
    def cells(self) -> int:
        return self.grid.bins + 2 * self.cells_beyond

    def respond(self, index: int, source: Source) -> tuple[int, ...]:
        drawn = uniform_below(self.noise.total, source)
        moved = index + bisect_right(self.noise.bounds, drawn) - (self.grid.bins - 1)
        return (min(max(moved, 0), self.cells - 1),)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        drawn = uniform_below_many(self.noise.total, len(indices), source)
        moved = indices + np.searchsorted(self._bounds, drawn, "right") - (self.grid.bins - 1)
        return (np.clip(moved, 0, self.cells - 1),)

    @cached_property
    def _bounds(self) -> NDArray[np.uint64]:
        return np.array(self.noise.bounds, dtype=np.uint64)

    # -- collector -------------------------------------------------------------------------

    def cell_expression(self) -> CellExpression | None:
        return FieldValue("cell")

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """A multinomial a bin, where that is less work than drawing everybody."""
        if counts.sum() < counts.size * len(self._bounds):
            return super()._simulate(counts, source)
        chances = np.diff(self._bounds.astype(np.float64), prepend=0.0) / self.noise.total
        wide = np.zeros(len(chances) + counts.size - 1, dtype=np.int64)
        for index in np.flatnonzero(counts):
            drawn = source.generator().multinomial(counts[index], chances)
            wide[index : index + len(chances)] += drawn
        cells = wide[self.grid.bins - 1 :][: self.cells].copy()
        cells[0] += wide[: self.grid.bins - 1].sum()
        cells[-1] += wide[self.grid.bins - 1 + self.cells :].sum()
        return cells

    # -- analyst -----------------------------------------------------------------------------

    def _channel(self) -> Channel:
        if self.cells == 1:
            return DenseChannel(np.ones((1, 1)))
        total = self.noise.total
        heights = np.array([height / total for height in self.noise.heights])
        return CensoredNoiseChannel(
            self.grid.bins, self.cells_beyond, heights, self.noise.tail / total
        )

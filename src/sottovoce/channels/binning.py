"""Reports about wide bins of numbers that a domain sees through narrow ones.

The narrow bins are the domain's, the wide ones are reported.  Their edges need not
meet: a narrow bin may lie in two wide ones, in parts that are whole multiples of
``1 / lcm(bins, report_bins)`` of the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats

__all__ = ["Binning"]


@dataclass(frozen=True)
class Binning:
    """``fine`` bins of an interval, and ``coarse`` ones, at most as many."""

    fine: int
    coarse: int

    @cached_property
    def grid(self) -> int:
        """How many equal steps of the interval have all edges among theirs."""
        return math.lcm(self.fine, self.coarse)

    @property
    def aligned(self) -> bool:
        """Whether every fine bin lies in one coarse bin."""
        return self.grid == self.fine

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The coarse bin in which each fine bin begins."""
        return np.arange(self.fine) * (self.grid // self.fine) // (self.grid // self.coarse)

    @cached_property
    def second(self) -> NDArray[np.int64]:
        """The coarse bin in which each fine bin ends: the same, or the next one."""
        ends = np.arange(1, self.fine + 1) * (self.grid // self.fine) - 1
        return ends // (self.grid // self.coarse)

    @cached_property
    def part(self) -> Floats:
        """How much of each fine bin lies in the first of its coarse bins."""
        width, step = self.grid // self.fine, self.grid // self.coarse
        starts = np.arange(self.fine) * width
        return np.minimum((self.first + 1) * step - starts, width) / width

    def gather(self, shares: Floats) -> Floats:
        """Shares of coarse bins, numbers spread evenly over their fine bins."""
        found = np.zeros(self.coarse)
        found += np.bincount(self.first, self.part * shares, self.coarse)
        found += np.bincount(self.second, (1 - self.part) * shares, self.coarse)
        return found

    def mean(self, values: Floats) -> Floats:
        """Each fine bin's mean of a function of coarse bins: the adjoint of :meth:`gather`."""
        return self.part * values[self.first] + (1 - self.part) * values[self.second]

    def expand(self, shares: Floats) -> Floats:
        """Shares of fine bins, numbers spread evenly over their coarse bins."""
        return self.mean(shares) * (self.coarse / self.fine)

    def collect(self, weights: Floats) -> Floats:
        """The mean weight of every coarse bin: the adjoint of :meth:`expand`."""
        return self.gather(weights) * (self.coarse / self.fine)

    def split(self, counts: NDArray[np.int64], random: Any) -> NDArray[np.int64]:
        """People of fine bins in coarse ones, each anywhere in their fine bin alike."""
        below = random.binomial(counts, self.part)
        found = np.zeros(self.coarse, dtype=np.int64)
        np.add.at(found, self.first, below)
        np.add.at(found, self.second, counts - below)
        return found

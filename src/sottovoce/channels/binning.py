"""Reports about wide bins of numbers that a domain sees through narrow ones.

The narrow bins are the domain's, the wide ones are reported.  Their edges need not
meet: a narrow bin may lie in two wide ones, in parts that are whole multiples of
``1 / lcm(bins, report_bins)`` of the interval.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.errors import Noise
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.interval import Interval

__all__ = ["Binning", "CoarseMechanism", "SpreadNoise", "reporting_mechanism"]


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

    def spread(self, shares: Floats) -> Floats:
        """Shares of fine bins, numbers spread evenly over their coarse bins."""
        return self.mean(shares) * (self.coarse / self.fine)

    def collect(self, weights: Floats) -> Floats:
        """The mean weight of every coarse bin: the adjoint of :meth:`spread`."""
        return self.gather(weights) * (self.coarse / self.fine)

    def split(self, counts: NDArray[np.int64], random: Any) -> NDArray[np.int64]:
        """People of fine bins in coarse ones, each anywhere in their fine bin alike."""
        below = random.binomial(counts, self.part)
        found = np.zeros(self.coarse, dtype=np.int64)
        np.add.at(found, self.first, below)
        np.add.at(found, self.second, counts - below)
        return found


class CoarseMechanism(Mechanism):
    """A mechanism over an Interval whose reports are those of another over wider bins.

    Estimates are made for the wide bins, and spread evenly over the narrow ones.
    """

    @property
    @abstractmethod
    def reporting(self) -> Mechanism:
        """The mechanism that makes the reports."""

    @cached_property
    def binning(self) -> Binning:
        """How the bins lie in each other."""
        assert isinstance(self.domain, Interval)
        return Binning(self.domain.bins, self.reporting.domain.size)


def reporting_mechanism(mechanism: Mechanism) -> Mechanism:
    """The mechanism whose tallies are estimated from: itself, unless its reports are coarser."""
    return mechanism.reporting if isinstance(mechanism, CoarseMechanism) else mechanism


@dataclass(frozen=True, eq=False)
class SpreadNoise:
    """The noise of shares that were estimated for coarse bins and spread evenly over fine ones."""

    coarse: Noise
    binning: Binning

    def stderr(self, about: str) -> Floats:
        binning = self.binning
        found = binning.spread(self.coarse.stderr(about))
        for i in np.flatnonzero(binning.first != binning.second).tolist():
            found[i] = self.stderr_of(np.eye(1, binning.fine, i)[0], about)
        return found

    def stderr_of(self, weights: Floats, about: str) -> float:
        return self.coarse.stderr_of(self.binning.collect(weights), about)

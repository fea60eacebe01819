"""Which parts of bins lie in a range of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain
from sottovoce.domains.columns import plain_column
from sottovoce.domains.edges import Edges

__all__ = ["Ranges"]


class Ranges(Domain):
    """What an interval says of ranges and of numbers that are asked about."""

    low: float
    high: float
    uneven: Edges | None

    @property
    def open_end(self) -> bool:
        """Whether the last bin holds every number from ``high`` on."""
        return self.uneven is not None and self.uneven.open_end

    @property
    def span(self) -> tuple[float, float]:
        """The least and the greatest value; infinite where the end is open."""
        return self.low, math.inf if self.open_end else self.high

    @property
    def width(self) -> float:
        """The width of a bin, on average where they are not equal."""
        return (self.high - self.low) / (self.size - self.open_end)

    def edges_at(self, indices: Any) -> NDArray[np.float64]:
        """Where some bins begin: of equal ones ``low + i * width``, and ``high`` for the end."""
        if self.uneven is not None:
            return self.uneven.all[np.asarray(indices)]
        starts = np.asarray(indices) * self.width + self.low
        return np.where(np.asarray(indices) == self.size, self.high, starts)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The ``bins + 1`` edges; the last is infinite where the end is open."""
        return self.edges_at(np.arange(self.size + 1))

    def _allowed(self) -> str:
        if self.open_end:
            return f"a finite number of at least {self.low:g}"
        return f"a number from {self.low:g} to {self.high:g}"

    def as_numbers(self, values: Any) -> NDArray[np.float64]:
        """Values of the domain as the numbers that bins are of."""
        return np.asarray(plain_column(values), dtype=np.float64)

    def told(self, x: float) -> str:
        """A number that was asked about, with its unit."""
        return f"{x:g} {self.unit}" if self.unit else f"{x:g}"

    def overlap(self, low: float, high: float) -> NDArray[np.float64]:
        """How much of each bin lies in ``[low, high]``: 0, 1, or a fraction at the ends."""
        start, stop = self._real(low, "low", "range"), self._real(high, "high", "range")
        if not (self._known(start) and self._known(stop) and start <= stop):
            raise InvalidInput("low, high", "range", f"{self._bounds()}, low first", (low, high))
        return self._covered(start, stop)

    def below(self, x: float) -> NDArray[np.float64]:
        """How much of each bin lies up to ``x``."""
        stop = self._real(x, "x", "cdf")
        if not self._known(stop):
            raise InvalidInput("x", "cdf", self._bounds(), x)
        return self._covered(self.span[0], stop)

    def _real(self, x: Any, parameter: str, question: str) -> float:
        """A bound that was asked about; infinity only where the end is open."""
        if self.open_end and isinstance(x, float) and x == math.inf:
            return math.inf
        return check_real(x, parameter, question, self._bounds())

    def _known(self, x: float) -> bool:
        """Whether it is told which answers are up to ``x``: within an open bin it is not."""
        least, greatest = self.span
        return least <= x <= greatest and (x <= self.high or x == math.inf)

    def _bounds(self) -> str:
        if self.open_end:
            return f"a number from {self.low:g} to {self.high:g}, or math.inf for all beyond"
        return self._allowed()

    def _covered(self, start: float, stop: float) -> NDArray[np.float64]:
        edges = self.edges
        covered = np.minimum(edges[1:], stop) - np.maximum(edges[:-1], start)
        if self.uneven is None:
            return np.clip(covered / self.width, 0.0, 1.0)
        parts = covered[: len(self.uneven.bounds) - 1] / np.diff(self.uneven.bounds)
        beyond = [float(stop == math.inf)] if self.open_end else []
        return np.clip([*parts, *beyond], 0.0, 1.0)

"""Values seen through noise, under many priors at once: hidden ones on a grid, clear ones by formula.

What was seen of a value, x, has the mean t, its share, and the variance ``sigma^2 + slope t``.  Where
the slope is positive x is a count in disguise, and ``p(x | t)`` is Poisson's law for
``(x + sigma^2/slope) / slope``; else the law is normal.  Shares are in units of the mean share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.estimators.exchangeable.share_priors import Priors

__all__ = ["ClearValues", "HiddenValues", "RowMap", "log_likelihood"]

_MOST_ROWS = 256
"""Values seen differently up to which each has a row of its own."""
_PER_NOISE = 16
"""Rows a standard error otherwise; what is between them is interpolated."""
_ALIKE = 1e-9
_STRAIGHT = 1e-6
"""Slopes below this part of the variance do not skew noise."""
_TINY = 1e-280


@dataclass(frozen=True, eq=False)
class RowMap:
    """Which rows stand for a value: ``1 - part`` of row ``before`` and ``part`` of the next."""

    before: NDArray[np.int64]
    part: Floats
    size: int

    @classmethod
    def between(cls, places: Floats, rows: Floats) -> RowMap:
        """Of values at ``places`` among equidistant ``rows``."""
        step = rows[1] - rows[0]
        before = np.minimum(((places - rows[0]) / step).astype(np.int64), len(rows) - 2)
        return cls(before, (places - rows[before]) / step, len(rows))

    def expand(self, column: Floats) -> Floats:
        """Of every value, from one number a row."""
        if not self.part.any():
            return column[self.before]
        after = np.minimum(self.before + 1, self.size - 1)
        return (1 - self.part) * column[self.before] + self.part * column[after]

    def collect(self, weights: Floats) -> Floats:
        """Of every row, from one number a value: the adjoint."""
        found: Floats = np.zeros(self.size)
        found += np.bincount(self.before, (1 - self.part) * weights, minlength=self.size)
        if self.part.any():
            after = np.minimum(self.before + 1, self.size - 1)
            found += np.bincount(after, self.part * weights, minlength=self.size)
        return found


class HiddenValues:
    """Values that noise may hide: how likely what was seen of them is, cell by cell of the grid.

    Each row of ``likelihood`` stands for some values, ``counts`` of them: those seen alike, or, where
    there are many, those near by, which stand for the two rows they are between.
    """

    def __init__(self, places: Floats, sigma: Floats, slope: float, grid: Floats) -> None:
        size = len(places)
        self.places, self.sigma = places, sigma
        self.rows = RowMap(np.arange(size), np.zeros(size), size)
        if size and np.ptp(sigma) <= _ALIKE * sigma.max():
            self.places, inverse = np.unique(places, return_inverse=True)
            self.rows = RowMap(inverse, np.zeros(size), len(self.places))
            if len(self.places) > _MOST_ROWS:
                step = float(sigma[0]) / _PER_NOISE
                self.places = np.arange(places.min(), places.max() + 2 * step, step)
                self.rows = RowMap.between(places, self.places)
            self.sigma = np.full(len(self.places), sigma[0])
        self.counts = self.rows.collect(np.ones(size))
        logs = log_likelihood(self.places[:, None], self.sigma[:, None], slope, grid)
        peaks = logs.max(axis=1, keepdims=True)
        self.likelihood = np.exp(logs - peaks)
        self.log_peak = float(self.counts @ peaks[:, 0])
        """What all rows together are less likely at their best than noise that is 0."""


def log_likelihood(x: Floats, sigma: Floats, slope: float, t: Floats) -> Floats:
    """``log p(x | t)`` up to a constant; with ``c = x + sigma^2/slope``:

    ``(c log(t + sigma^2/slope) - t) / slope``, written so that nothing cancels.
    """
    if slope <= _STRAIGHT * float(np.min(sigma**2, initial=math.inf)):
        return -((x - t) ** 2) / (2 * sigma**2)
    count = x + sigma**2 / slope
    seen = count > 0
    beyond = np.where(seen, (t - x) / np.where(seen, count, 1.0), 0.0)
    logs: Floats = np.where(seen, count * (np.log1p(beyond) - beyond), x - t)
    return logs / slope


class ClearValues:
    """Values far above their noise: each has a normal posterior, by the prior's slope where it was seen.

    Skewed noise adds the slope, one count: the mean of a gamma is that above its mode.
    """

    def __init__(self, places: Floats, sigma: Floats, slope: float, priors: Priors) -> None:
        self.seen, self.sigma = places, sigma
        spread = np.sqrt(sigma**2 + slope * places)[:, None]
        self.variance = spread**2
        self._grid = priors.grid
        self._logs = np.log(np.maximum(priors.masses / priors.widths[:, None], _TINY))
        at = places[:, None]
        self.log_mass = self._at(at) + np.log(math.sqrt(2 * math.pi) * spread)
        """Of every prior, under the noise, as for hidden values."""
        rise = (self._at(at + spread) - self._at(at - spread)) / 2
        self.places = at + spread * np.clip(rise, -1.0, 1.0) + slope

    def _at(self, places: Floats) -> Floats:
        """Log-densities, interpolated in the grid, a column a prior."""
        inside = np.clip(places[:, 0], self._grid[0], self._grid[-1])
        after = np.clip(np.searchsorted(self._grid, inside), 1, len(self._grid) - 1)
        width = self._grid[after] - self._grid[after - 1]
        part = ((inside - self._grid[after - 1]) / width)[:, None]
        return (1 - part) * self._logs[after - 1] + part * self._logs[after]

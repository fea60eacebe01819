"""Values seen through noise, under many priors at once: hidden ones on a grid, clear ones by formula.

Noise of a value is normal, or skewed: its variance ``sigma^2 (1 + t/offset)`` at the share t.  Then
what was seen, x, is a count in disguise, and ``p(x | t)`` is Poisson's law for ``x + offset`` in the
units in which its variance is its mean.  Shares are in units of the mean share.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.exchangeable.share_priors import Priors

__all__ = ["ClearValues", "HiddenValues", "log_likelihood"]

_MOST_ROWS = 512
"""Values seen differently up to which each has a row of its own."""
_PER_NOISE = 16
"""Rows a standard error otherwise; what is between them is interpolated."""
_ALIKE = 1e-9
_TINY = 1e-280


class HiddenValues:
    """Values that noise may hide: how likely what was seen of them is, cell by cell of the grid.

    Each row of ``likelihood`` stands for some values, ``counts`` of them: those seen alike, or, where
    there are many, those near by, which stand for the two rows they are between.
    """

    def __init__(self, places: Floats, sigma: Floats, offset: float, grid: Floats) -> None:
        self.counts: Floats = np.ones(len(places))
        rows = places
        self.expand: Callable[[Floats], Floats] = lambda column: column
        if len(places) and np.ptp(sigma) <= _ALIKE * sigma.max():
            rows, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
            self.counts = counts.astype(np.float64)
            self.expand = lambda column: column[inverse]
            if len(rows) > _MOST_ROWS:
                rows = self._apart(places, float(sigma[0]) / _PER_NOISE)
            sigma = np.full(len(rows), sigma[0])
        logs = log_likelihood(rows[:, None], sigma[:, None], offset, grid)
        self.likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))

    def _apart(self, places: Floats, step: float) -> Floats:
        """Rows a ``step`` apart, every value between two of them."""
        rows: Floats = np.arange(places.min(), places.max() + step, step, dtype=np.float64)
        before = np.minimum(((places - rows[0]) / step).astype(np.int64), len(rows) - 2)
        after, part = before + 1, (places - rows[before]) / step
        self.counts = np.zeros(len(rows))
        np.add.at(self.counts, before, 1 - part)
        np.add.at(self.counts, after, part)
        self.expand = lambda column: (1 - part) * column[before] + part * column[after]
        return rows


def log_likelihood(x: Floats, sigma: Floats, offset: float, t: Floats) -> Floats:
    """``log p(x | t)`` up to a constant; with ``c = x + offset``, ``nu = offset / sigma^2``:

    ``nu (c log(t + offset) - t)``, written so that nothing cancels.
    """
    if math.isinf(offset):
        return -((x - t) ** 2) / (2 * sigma**2)
    count = x + offset
    seen = count > 0
    beyond = np.where(seen, (t - x) / np.where(seen, count, 1.0), 0.0)
    logs: Floats = np.where(seen, count * (np.log1p(beyond) - beyond), x - t)
    return offset / sigma**2 * logs


class ClearValues:
    """Values far above their noise: each has a normal posterior, by the prior's slope where it was seen.

    Skewed noise adds ``sigma^2 / offset``, one count: the mean of a gamma is that above its mode.
    """

    def __init__(self, places: Floats, sigma: Floats, offset: float, priors: Priors) -> None:
        spread = (sigma * np.sqrt(1 + places / offset))[:, None]
        self.variance = spread**2
        self._grid = priors.grid
        self._logs = np.log(np.maximum(priors.masses / priors.widths[:, None], _TINY))
        at = places[:, None]
        self.log_mass = self._at(at) + np.log(math.sqrt(2 * math.pi) * spread)
        """Of every prior, under the noise, as for hidden values."""
        slope = (self._at(at + spread) - self._at(at - spread)) / 2
        skew = (sigma**2 / offset)[:, None]
        self.places = at + spread * np.clip(slope, -1.0, 1.0) + skew

    def _at(self, places: Floats) -> Floats:
        """Log-densities, interpolated in the grid, a column a prior."""
        inside = np.clip(places[:, 0], self._grid[0], self._grid[-1])
        after = np.clip(np.searchsorted(self._grid, inside), 1, len(self._grid) - 1)
        width = self._grid[after] - self._grid[after - 1]
        part = ((inside - self._grid[after - 1]) / width)[:, None]
        return (1 - part) * self._logs[after - 1] + part * self._logs[after]

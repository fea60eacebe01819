"""Shares within groups, and their differences, where the sizes of the groups are noisy too.

A share within a group is a ratio ``t = u / v`` of two sums of shares.  Its interval is Fieller's: all t that
a test of ``u - t v = 0`` does not reject (:mod:`sottovoce.answers.fieller`).  For two groups the same test is

    Q(s, t) = h' C^-1 h,   h = (u1 - s v1, u2 - t v2),   C its covariance,

and a difference D stays where the least of ``Q(s, s + D)`` over s is at most ``reach^2``: the profile of
the normal likelihood.  The p-value is that of the least of Q(s, s), chi-square with one degree of freedom.
The share s may be any number there: kept within 0 and 1 it would make Q larger where
nobody gives an answer, and intervals too short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sottovoce.answers.fieller import ratio_interval
from sottovoce.channels.base import Floats

__all__ = ["GroupDifference", "difference_of_ratios", "ratio_with_interval"]

_GRID, _ZOOMS = 33, 7


@dataclass(frozen=True)
class GroupDifference:
    """Second minus first, with its interval and the p-value of no difference."""

    first: float
    second: float
    low: float
    high: float
    p_value: float


def ratio_with_interval(
    sums: Floats, covariance: Floats, reach: float, bounds: tuple[float, float]
) -> tuple[float, float, float] | None:
    """``u / v`` and the ends of its interval, within bounds; None where v may be 0."""
    u, v = map(float, sums)
    if v <= 0:
        return None
    ratio = min(max(u / v, bounds[0]), bounds[1])
    own = _variance(np.array([1.0, -ratio]), covariance)
    of_both = float(covariance[0, 1] - ratio * covariance[1, 1])
    of_share = float(covariance[1, 1])
    ends = ratio_interval(ratio, v, (own, of_share, of_both), reach, bounds)
    return None if ends is None else (ratio, *ends)


def difference_of_ratios(
    sums: Floats, covariance: Floats, reach: float, bounds: tuple[float, float]
) -> GroupDifference | None:
    """Of ``u1, v1, u2, v2``; None where one of the two groups may be empty."""
    sides = [
        ratio_with_interval(sums[part], covariance[part, part], reach, bounds)
        for part in (slice(0, 2), slice(2, 4))
    ]
    first, second = sides
    if first is None or second is None:
        return None
    wide = [
        _any_ratio(sums[part], covariance[part, part], reach) for part in (slice(0, 2), slice(2, 4))
    ]
    profile, width = _Profile(sums, covariance), bounds[1] - bounds[0]
    low, high = (profile.end(side, wide[0], reach**2) for side in (-1, 1))
    value = second[0] - first[0]
    ends = min(max(low, -width), value), max(min(high, width), value)
    among = min(one[0] for one in wide), max(one[1] for one in wide)
    p_value = math.erfc(math.sqrt(profile.least_of_equal(among) / 2))
    return GroupDifference(first[0], second[0], *ends, p_value)


def _any_ratio(sums: Floats, covariance: Floats, reach: float) -> tuple[float, float]:
    """The interval of a ratio that need not be possible: a share below 0 is what noise makes of none."""
    found = ratio_with_interval(sums, covariance, reach, (-math.inf, math.inf))
    assert found is not None  # the group is not empty
    return found[1], found[2]


@dataclass(frozen=True, eq=False)
class _Profile:
    sums: Floats
    covariance: Floats

    def least_of_equal(self, among: tuple[float, float]) -> float:
        """The least of ``Q(s, s)``."""
        low, high = among
        for _ in range(_ZOOMS):
            grid = np.linspace(low, high, _GRID)
            found = self._squares(grid, grid)
            best = int(np.argmin(found))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
        return float(found[best])

    def _squares(self, s: Floats, t: Floats) -> Floats:
        u1, v1, u2, v2 = self.sums
        first, second = u1 - s * v1, u2 - t * v2
        a, b, d = self._noise(s, t)
        size = np.maximum(a * d - b**2, np.finfo(float).tiny)
        return np.maximum((d * first**2 - 2 * b * first * second + a * second**2) / size, 0.0)

    def _noise(self, s: Floats, t: Floats | float) -> tuple[Floats, Floats, Floats]:
        """The entries of C."""
        c = self.covariance
        a = c[0, 0] - 2 * s * c[0, 1] + s**2 * c[1, 1]
        d = c[2, 2] - 2 * t * c[2, 3] + t**2 * c[3, 3]
        return a, c[0, 2] - t * c[0, 3] - s * c[1, 2] + s * t * c[1, 3], d

    def end(self, side: int, among: tuple[float, float], most: float) -> float:
        """The least (-1) or largest (1) ``t - s`` with ``Q(s, t) <= most``.

        For every s that is an inequality of second degree in t; s itself lies within its own interval.
        """
        low, high = among
        for _ in range(_ZOOMS):
            grid = np.linspace(low, high, _GRID)
            differences = side * (self._ends(grid, most)[(side + 1) // 2] - grid)
            differences = np.where(np.isnan(differences), -np.inf, differences)
            best = int(np.argmax(differences))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
        return side * float(differences[best])

    def _ends(self, s: Floats, most: float) -> tuple[Floats, Floats]:
        """The ends of all t with ``Q(s, t) <= most``; not a number where there are none."""
        u1, v1, u2, v2 = self.sums
        c, first = self.covariance, u1 - s * v1
        a, b0, d0 = self._noise(s, 0.0)
        b1 = s * c[1, 3] - c[0, 3]
        k = first**2 - most * a
        square = k * c[3, 3] + 2 * b1 * first * v2 + a * v2**2 + most * b1**2
        half = -k * c[2, 3] + b0 * first * v2 - b1 * first * u2 - a * u2 * v2 + most * b0 * b1
        rest = k * d0 - 2 * b0 * first * u2 + a * u2**2 + most * b0**2
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(half**2 - square * rest)
            low, high = (-half - root) / square, (-half + root) / square
        there = square > 0
        return np.where(there, low, np.nan), np.where(there, high, np.nan)


def _variance(weights: Floats, covariance: Floats) -> float:
    return max(0.0, float(weights @ covariance @ weights))

"""Cramer's V without what noise adds to it, and its interval.

``phi^2 = sum of h^2 / (f_a f_b)``, ``h = f_ab - f_a f_b``, is the square of the length of ``Y = h / sqrt(f_a f_b)``,
whose noise has the covariance C: its mean is too large by tr C.  Given the true phi its variance is about

    2 tr C^2 + r phi^2,

r the variance of phi^2 to first order, margins included, in parts of phi^2.  The law with this mean and variance is
taken as that of ``c`` times a noncentral chi-square with ``tr C / c`` degrees of freedom and noncentrality
``phi^2 / c``, so that ``c = (2 tr C^2 + r phi^2) / (2 tr C + 4 phi^2)``.  The interval holds every phi under which
what was seen is between the two tails; what is seen below its mean at phi = 0 counts as at that mean.
``V^2 = phi^2 / (min(d) - 1)``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

__all__ = ["Strength", "strength_of"]

_HALVINGS = 40


@dataclass(frozen=True)
class Strength:
    """Cramer's V and the ends of its interval."""

    value: float
    low: float
    high: float


def strength_of(
    margins: tuple[Floats, Floats], h: Floats, noise: Floats, confidence: float
) -> Strength:
    """From h and both margins, and the covariance of all of these one after the other."""
    scale, squares = np.sqrt(np.outer(*margins)).ravel(), h**2 / np.outer(*margins)
    covariance = noise[: h.size, : h.size] / np.outer(scale, scale)
    first, second = float(np.trace(covariance)), float(np.sum(covariance**2))
    away = [squares.sum(axis=1 - axis) / margins[axis] for axis in (0, 1)]
    slope = np.concatenate([2 * h.ravel() / scale**2, -away[0], -away[1]])
    seen = float(squares.sum())
    growth = max(0.0, float(slope @ noise @ slope)) / seen if seen > 0 else 0.0
    most = math.sqrt(min(h.shape) - 1)
    law = _Law(first, second, growth)
    at, tail = max(seen, first), (1 - confidence) / 2
    ends = (law.solve(at, 1 - tail, most), law.solve(at, tail, most))
    value = math.sqrt(max(0.0, seen - first))
    return Strength(*(min(1.0, phi / most) for phi in (value, *ends)))


@dataclass(frozen=True)
class _Law:
    """Of ``|Y|^2``: tr C, tr C^2 and r."""

    first: float
    second: float
    growth: float

    def below(self, seen: float, phi: float) -> float:
        """How often it is at most ``seen``."""
        special = optional("scipy.special", extra="analyse", purpose="an interval of Cramer's V")
        c = (2 * self.second + self.growth * phi**2) / (2 * self.first + 4 * phi**2)
        return float(special.chndtr(seen / c, self.first / c, phi**2 / c))

    def solve(self, seen: float, level: float, most: float) -> float:
        """The phi under which what was seen has that level: it falls with phi."""
        low, high = 0.0, most
        if self.below(seen, low) <= level:
            return low
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.below(seen, middle) > level else (low, middle)
        return high

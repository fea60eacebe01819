"""How much each service's numbers vary among these users, without knowing anybody's value.

The variance of a number is (nearly) a quadratic in the value v: ``var_j(v) = a + b v + c v^2``.
So its mean over users needs only the means of v and v^2.  The first is the average of all
numbers.  The second follows from the numbers' squares: ``E x_j^2 = E v^2 + E var_j(v)``, hence

    E v^2 = (E x_j^2 - a - b E v) / (1 + c)

from every service whose squares tell anything (those of stochastic rounding are constant:
``c = -1``), averaged by how sure each is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval

__all__ = ["Moments", "Numbers", "mean_variances", "moments_of"]

_TELLS = 1e-3
"""Least ``1 + c`` of a service whose squares tell something of the values'."""


class Numbers(Protocol):
    """What is known of one service's numbers, over all users: a ``Varying``, or sums of one."""

    @property
    def variance(self) -> Floats:
        """Of a number, by value."""

    @property
    def bias_bound(self) -> float:
        """How far the mean of a number may be from the value."""

    @property
    def people(self) -> int:
        """How many users have a number."""

    def average(self, power: int = 1) -> tuple[float, float]:
        """The mean of the numbers, taken to a power, and its variance."""


@dataclass(frozen=True)
class Moments:
    """The means of the users' values and of their squares, as far as the reports tell."""

    first: float
    second: float

    @property
    def variance(self) -> float:
        """Of the values among users."""
        return max(0.0, self.second - self.first**2)


def moments_of(services: Sequence[Numbers], domain: Interval) -> Moments:
    """Both means, brought to what numbers of the interval can have."""
    places, low, high = domain.midpoints, domain.low, domain.high
    first = _average([one.average() for one in services])
    first = float(np.clip(first, low, high))
    seconds = []
    for one in services:
        c, b, a = np.polyfit(places, one.variance, 2)
        if 1 + c > _TELLS:
            mean, variance = one.average(2)
            seconds.append(((mean - a - b * first) / (1 + c), variance / (1 + c) ** 2))
    flat = first**2 + (high - low) ** 2 / 12
    second = _average(seconds) if seconds else flat
    most = (low + high) * first - low * high  # everybody at one end or the other
    return Moments(first, float(np.clip(second, first**2, max(most, first**2))))


def _average(means: Sequence[tuple[float, float]]) -> float:
    """Means with their variances, weighted by how sure each is; the certain ones alone where any."""
    values, spread = np.array(means).T
    weights = np.where(spread <= spread.min(), 1.0, 0.0) if spread.min() == 0 else 1 / spread
    return float(np.average(values, weights=weights))


def mean_variances(services: Sequence[Numbers], domain: Interval, moments: Moments) -> Floats:
    """The mean over users of each service's variance."""
    found = []
    for one in services:
        c, b, a = np.polyfit(domain.midpoints, one.variance, 2)
        about = a + b * moments.first + c * moments.second
        found.append(float(np.clip(about, one.variance.min(), one.variance.max())))
    return np.array(found)

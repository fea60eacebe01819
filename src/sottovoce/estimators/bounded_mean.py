"""``bounded-mean``: the plain average, and the knowledge that a mean lies within its bounds.

The average a of what reports stand for is right on average and nearly normal around the true mean m,
with a standard error s that is known.  Where noise is large it may lie outside of the bounds
of all numbers, and its interval reach far beyond.  That m is between ``low`` and ``high`` is known.

*The value* is the mean of m given a, every mean within the bounds being as likely beforehand: that
of a normal law around a, cut off at the bounds.  ``stderr`` is the deviation of the same law.

*The interval* holds all m that a test does not reject.  The test compares the likelihood of m with
that of the likeliest mean, which is a itself or, where a lies outside, the nearest bound b:

    ((a - m)^2 - (a - b)^2) / s^2 > k(m)     rejects m,

with k(m) such that a true m is rejected as often as the confidence says.  Away from the bounds
``k = z^2``, the usual interval; at a bound the test has one side.  So the interval holds the
truth with just that probability wherever the truth is (with more for a confidence below 92%, where
it may have to be stretched to hold the value), lies within the bounds, and is never empty.

Where s is small beside the distance to both bounds, all this is the plain average.

Reference: Feldman, Cousins: Unified approach to the classical statistical analysis of small
signals, 1998, section IV.B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.errors import CellErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.estimators.cell_means import mean_gains

__all__ = ["BoundedMean", "bounded", "bounded_mean", "no_mean"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)
_NEGLIGIBLE = 80.0
"""Means less likely than the likeliest by a factor of e^80 do not count."""
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class BoundedMean(Estimate):
    """An estimate without shares, whose mean is kept within the bounds of the numbers."""

    def mean(
        self, key: Any = None, *, top: float | None = None, confidence: float = 0.95,
        anytime: bool = False,
    ) -> Answer:  # fmt: skip
        """The mean, with an interval inside of the bounds; the plain average where ``anytime``."""
        if anytime:
            return self.anytime().mean(key, top=top, confidence=confidence)
        plain = super().mean(key, top=top, confidence=confidence)
        low, high = self._interval("mean").span
        return bounded(plain, low, high)


def bounded_mean(tally: Tally, method: str, why: str) -> Estimate:
    """The estimate; ``why`` is completed by what it cannot tell."""
    noise = CellErrors(tally.mechanism.channel(), tally.n, tally.cells / tally.n)
    reason = "it estimates only the mean; use another method for shares"
    return BoundedMean(tally.mechanism.domain, None, tally.n, method, f"{why}; {reason}", noise)


def no_mean(mechanism: Mechanism) -> str:
    """Why there is no average to keep within bounds; empty where there is one."""
    if mean_gains(mechanism) is None:
        return "its reports have no unbiased average that estimates a mean of numbers"
    return ""


def bounded(plain: Answer, low: float, high: float) -> Answer:
    """A plain average with its error, given that the truth lies from ``low`` to ``high``."""
    a, s = plain.value, plain.stderr
    if s == 0.0:
        a = min(max(a, low), high)
        return replace(plain, value=a, low=a, high=a)
    value, stderr = _posterior(a, s, low, high)
    least = _least_not_rejected(a, s, low, high, 1 - plain.confidence)
    most = -_least_not_rejected(-a, s, -high, -low, 1 - plain.confidence)
    # Far outside, an interval of little confidence is hardly more than the bound.
    low, high = min(least, value), max(most, value)
    return replace(plain, value=value, stderr=stderr, low=low, high=high)


def _posterior(a: float, s: float, low: float, high: float) -> tuple[float, float]:
    """Mean and deviation of a normal law cut off at the bounds, by Gauss's rule where it counts.

    Means are told from the likeliest one, b: ``(a - m)^2 - (a - b)^2 = (m - b) (m - b - 2 (a - b))``.
    """
    b = min(max(a, low), high)
    outside = a - b
    reach = (
        2
        * _NEGLIGIBLE
        * s
        / (math.hypot(outside / s, math.sqrt(2 * _NEGLIGIBLE)) + abs(outside) / s)
    )
    start, stop = max(low - b, -reach), min(high - b, reach)
    away = (start + stop) / 2 + (stop - start) / 2 * _NODES
    odds = _WEIGHTS * np.exp(-(away / s) * ((away - 2 * outside) / s) / 2)
    odds /= odds.sum()
    mean = float(odds @ away)
    return b + mean, math.sqrt(float(odds @ (away - mean) ** 2))


def _least_not_rejected(a: float, s: float, low: float, high: float, doubt: float) -> float:
    """The lower end of the interval, by bisection: from there on a is not too far above."""
    rejected, kept = low, min(max(a, low), high)
    if _chance(low, a, s, low, high) >= doubt:
        return low
    for _ in range(_HALVINGS):
        middle = (rejected + kept) / 2
        if _chance(middle, a, s, low, high) >= doubt:
            kept = middle
        else:
            rejected = middle
    return kept


def _chance(m: float, a: float, s: float, low: float, high: float) -> float:
    """How often an average, were m true, has a statistic as large as that of a, which is above m."""
    if a <= m:
        return 1.0
    up, room = (a - m) / s, (high - m) / s
    statistic = up * up if up <= room else room * (2 * up - room)
    return _beyond(up) + _beyond(_reach(statistic, (m - low) / s))


def _reach(statistic: float, room: float) -> float:
    """How far from a true mean the statistic is so large, with ``room`` to the bound there.

    In standard errors: within the bounds it is ``t^2`` at t, beyond ``room (2 t - room)``.
    """
    near = math.sqrt(statistic)
    if near <= room:
        return near
    return (statistic / room + room) / 2 if room > 0 else math.inf


def _beyond(t: float) -> float:
    """How often a standard normal number is above t."""
    return math.erfc(t / math.sqrt(2)) / 2

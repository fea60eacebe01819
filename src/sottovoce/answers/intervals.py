"""Intervals of shares and of other answers that have bounds: possible values only.

An unbiased estimate may lie outside its bounds, and a normal interval around it reaches beyond them.
To cut that interval off would leave, of an estimate far below 0, a sliver that says more than is
known.  Instead the estimate is first taken to the nearest possible value (Mandelkern and Schultz 2000).
Such an interval holds the truth at least as often as the plain one, and as often where the truth is two
standard errors from the bounds or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = [
    "ShareIntervals",
    "all_within",
    "count_low",
    "score_interval",
    "share_bounds",
    "within",
]

_HALVINGS = 40
_MANY = 400.0
"""A count from which the normal law is taken."""


@runtime_checkable
class ShareIntervals(Protocol):
    """An error model that has better intervals of shares than normal ones."""

    def intervals(
        self, about: str, confidence: float, chosen: float = 1.0
    ) -> tuple[Floats, Floats] | None:
        """The bounds of every share, within 0 and 1; None where it has none after all.

        Right for the part ``chosen`` of all values that was chosen for being large.
        """

    def centre_of(self, weights: Floats, about: str) -> float | None:
        """Around what the interval of ``weights . shares`` lies; None where that is the answer."""


def share_bounds(estimate: Estimate, confidence: float, part: float = 1.0) -> tuple[Floats, Floats]:
    """The interval of every share: the error model's own, else the normal one within 0 and 1.

    Right for the ``part`` of all values that was chosen for being large.
    """
    shares, found = estimate.require_shares("bounds"), None
    if estimate.looks is None and isinstance(estimate.error_model, ShareIntervals):
        found = estimate.error_model.intervals(estimate.about, confidence, part)
    if found is None:
        return all_within(shares, estimate.stderr, estimate.reach(confidence, part))
    possible = np.clip(shares, 0.0, 1.0)
    return np.minimum(found[0], possible), np.maximum(found[1], possible)


def within(
    value: float, stderr: float, reach: float, least: float = 0.0, greatest: float = 1.0, *,
    around: float | None = None,
) -> tuple[float, float]:  # fmt: skip
    """The normal interval around a value taken into its bounds, as far as it lies in them.

    Where it lies ``around`` another number, it is made to hold the value as well.
    """
    possible = min(max(value, least), greatest)
    centre = possible if around is None else min(max(around, least), greatest)
    low, high = max(centre - reach * stderr, least), min(centre + reach * stderr, greatest)
    return min(low, possible), max(high, possible)


def all_within(shares: Floats, stderr: Floats, reach: float) -> tuple[Floats, Floats]:
    """The same for many shares."""
    centre = np.clip(shares, 0.0, 1.0)
    return np.maximum(centre - reach * stderr, 0.0), np.minimum(centre + reach * stderr, 1.0)


def score_interval(
    x: Floats, variance: Floats, slope: Floats | float, reach: float, bend: float = 0.0
) -> tuple[Floats, Floats]:
    """The shares t in [0, 1] that an unbiased x does not rule out.

    Its variance at t is ``variance + slope t - bend t^2``, and t stays where
    ``(x - t)^2 <= reach^2 (variance + slope t - bend t^2)``: Wilson's interval, here for counts among
    chance supports.  It is right for few reports and rare values, where the variance at x is not that
    at t.
    """
    seen = np.clip(x, 0.0, 1.0)
    square = 1 + reach**2 * bend
    middle = (seen + reach**2 * slope / 2) / square
    rest = (seen**2 - reach**2 * variance) / square
    spread = np.sqrt(np.maximum(middle**2 - rest, 0.0))
    return np.clip(middle - spread, 0.0, 1.0), np.clip(middle + spread, 0.0, 1.0)


def count_low(x: Floats, variance: Floats, slope: Floats | float, reach: float) -> Floats:
    """The least share t in [0, x] that an unbiased x does not rule out as too small, x being a small count.

    With a variance of ``variance + slope t``, ``c = (x + variance/slope) / slope`` is about a count of
    Poisson's law with the mean ``l = (t + variance/slope) / slope``.  Few chance supports have a longer upper
    tail than the normal law of :func:`score_interval`, and of values that were chosen for being large it is
    that tail which was chosen.  Here t stays where ``sqrt(2 (k log(k/l) - k + l)) <= reach`` with
    ``k = c - 1/2``: the signed root of the deviance, a half count on the safe side.  Infinite where c is
    400 or more, for the normal law is right there.
    """
    base = variance / slope**2
    least, most = np.zeros(len(x)), np.clip(x, 0.0, 1.0)
    count = np.maximum(x / slope + base - 0.5, np.finfo(float).tiny)
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        mean = middle / slope + base
        deviance = count * np.log(count / mean) - count + mean
        too_small = (mean < count) & (2 * deviance > reach**2)
        least, most = np.where(too_small, middle, least), np.where(too_small, most, middle)
    return np.where(count < _MANY, least, np.inf)

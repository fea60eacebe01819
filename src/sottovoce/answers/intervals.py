"""Intervals of shares and of other answers that have bounds: possible values only.

An unbiased estimate may lie outside its bounds, and a normal interval around it reaches beyond them.
To cut that interval off would leave, of an estimate far below 0, a sliver that says more than is
known.  Instead the estimate is first taken to the nearest possible value (Mandelkern and Schultz 2000).
Such an interval holds the truth at least as often as the plain one, and as often where the truth is two
standard errors from the bounds or more.
"""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["all_within", "score_interval", "within"]


def within(
    value: float, stderr: float, reach: float, least: float = 0.0, greatest: float = 1.0
) -> tuple[float, float]:
    """The normal interval around a value taken into its bounds, as far as it lies in them."""
    centre = min(max(value, least), greatest)
    return max(centre - reach * stderr, least), min(centre + reach * stderr, greatest)


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

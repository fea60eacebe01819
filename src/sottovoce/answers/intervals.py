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

__all__ = ["score_interval", "within"]


def within(
    value: float, stderr: float, reach: float, least: float = 0.0, greatest: float = 1.0
) -> tuple[float, float]:
    """The normal interval around a value taken into its bounds, as far as it lies in them."""
    centre = min(max(value, least), greatest)
    return max(centre - reach * stderr, least), min(centre + reach * stderr, greatest)


def score_interval(
    x: Floats, variance: Floats, slope: Floats | float, reach: float
) -> tuple[Floats, Floats]:
    """The shares t in [0, 1] that an unbiased x of variance ``variance + slope t`` does not rule out.

    ``(x - t)^2 <= reach^2 (variance + slope t)``: Wilson's interval, here for counts among chance
    supports.  Right for few reports and rare values, where the variance at x is not that at t.
    """
    seen = np.clip(x, 0.0, 1.0)
    middle = seen + reach**2 * slope / 2
    spread = np.sqrt(np.maximum(middle**2 - seen**2 + reach**2 * variance, 0.0))
    return np.clip(middle - spread, 0.0, 1.0), np.clip(middle + spread, 0.0, 1.0)

"""Intervals of a ratio of two sums of shares (Fieller 1954)."""

from __future__ import annotations

import numpy as np

__all__ = ["ratio_interval"]


def ratio_interval(
    ratio: float, share: float, variances: tuple[float, float, float], reach: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float] | None:  # fmt: skip
    """The ends of all mu within ``bounds`` with ``|ratio - mu| share <= reach s(mu)``.

    ``share`` is the denominator, ``s(mu)`` the standard error of ``numerator - mu share``, and
    ``variances`` are those of ``numerator - ratio share``, of ``share``, and their covariance.  With
    ``d = mu - ratio``, ``s(mu)^2 = own - 2 d of_both + d^2 of_share``: a quadratic inequality.

    None where it holds for numbers without end: the denominator may be 0.

    >>> [round(end, 3) for end in ratio_interval(0.5, 0.2, (1e-4, 0.0, 0.0), 2.0)]
    [0.4, 0.6]
    >>> ratio_interval(0.5, 0.2, (1e-4, 0.02, 0.0), 2.0) is None
    True
    """
    own, of_share, of_both = variances
    square = share**2 - reach**2 * of_share
    if square <= 0:
        return None
    half = reach**2 * of_both
    root = float(np.sqrt(max(0.0, half**2 + square * reach**2 * own)))
    low, high = ratio - (half + root) / square, ratio + (root - half) / square
    return max(bounds[0], low), min(bounds[1], high)

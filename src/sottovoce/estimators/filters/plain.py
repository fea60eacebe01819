"""Plain smoothing of neighbouring shares: what better filters are measured against."""

from __future__ import annotations

import numpy as np

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["gaussian_filter", "smooth"]

_REACH = 4.0
"""A Gaussian filter is cut at so many sigma."""


def smooth(unbiased: UnbiasedShares) -> Floats:
    """Every share averaged with its neighbours, (1/4, 1/2, 1/4); at the ends (2/3, 1/3)."""
    shares = unbiased.shares
    if unbiased.channel.ring:
        return (np.roll(shares, 1) + 2 * shares + np.roll(shares, -1)) / 4
    inner = (shares[:-2] + 2 * shares[1:-1] + shares[2:]) / 4
    first = (2 * shares[0] + shares[1]) / 3
    last = (2 * shares[-1] + shares[-2]) / 3
    return np.concatenate([[first], inner, [last]])


def gaussian_filter(unbiased: UnbiasedShares, *, sigma: float = 1.0) -> Floats:
    """A weighted average with weights ``e^(-k^2 / (2 sigma^2))``, mirrored at the ends.

    ``sigma`` is the width of the bell, in values.
    """
    allowed = f"a number above 0 and at most {unbiased.size}, in values"
    width = check_real(sigma, "sigma", "gaussian-filter", allowed)
    if not 0 < width <= unbiased.size:
        raise InvalidInput("sigma", "gaussian-filter", allowed, sigma)
    reach = max(1, int(_REACH * width + 0.5))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.pad(unbiased.shares, reach, mode="wrap" if unbiased.channel.ring else "symmetric")
    return np.convolve(padded, weights / weights.sum(), mode="valid")

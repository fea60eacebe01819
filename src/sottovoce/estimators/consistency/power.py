"""Shrinkage under a power law: each share becomes its posterior mean.

The count of a value is taken for random with ``Pr[i] ~ i^-s``, i = 1 .. n, and
its unbiased estimate y for normal around it with standard deviation n sigma.
The exponent solves ``sum i^(1-s) / sum i^(-s) = n/d`` (the mean count), and is
1.01 where there are fewer respondents than values.

The sum over n counts is a sum over a few hundred cells: whole numbers up to 64,
then steps in ratio 1.02, at most n sigma / 6 wide, each with its integral of
x^-s; the posterior mean is tabulated over y and interpolated.  More than 8 sigma
above 0 it is ``y - s (n sigma)^2 / y``, the first term of its expansion.

Reference: Jia, Gong: Calibrate: frequency estimation and heavy hitter
identification with local differential privacy via incorporating prior
knowledge, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["power", "power_exponent"]

_FAR = 8.0
_PER_SIGMA = 40
_FEW_RESPONDENTS = 1.01


def power(unbiased: UnbiasedShares) -> Floats:
    """The posterior means under the fitted power law.  Positive; their sum is free."""
    counts, spread = unbiased.shares * unbiased.n, float(np.mean(unbiased.sigma)) * unbiased.n
    s = power_exponent(unbiased.n, unbiased.size)
    far = counts > _FAR * spread
    shrunk = counts - s * spread**2 / np.maximum(counts, _FAR * spread)
    grid, means = _posterior_means(spread, s, unbiased.n)
    shrunk[~far] = np.interp(counts[~far], grid, means)
    return shrunk / unbiased.n


@lru_cache(maxsize=256)
def power_exponent(n: int, size: int) -> float:
    """The exponent whose mean count is n / d."""
    if n <= size:
        return _FEW_RESPONDENTS
    centers, masses = _cells(n, np.inf)
    wanted, low, high = n / size, -1.0, 30.0
    for _ in range(80):
        s = (low + high) / 2
        weights = masses(s)
        low, high = (s, high) if centers @ weights / weights.sum() > wanted else (low, s)
    return (low + high) / 2


@lru_cache(maxsize=64)
def _posterior_means(spread: float, s: float, n: int) -> tuple[Floats, Floats]:
    """Estimated counts within 8 standard errors of 0, and the posterior mean for each."""
    observed = np.linspace(-_FAR * spread, _FAR * spread, int(2 * _FAR * _PER_SIGMA) + 1)
    centers, masses = _cells(min(n, max(1.0, 2.5 * _FAR * spread)), spread / 6)
    log_posterior = np.log(masses(s)) - (observed[:, None] - centers) ** 2 / (2 * spread**2)
    weights = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
    return observed, weights @ centers / weights.sum(axis=1)


def _cells(most: float, widest: float) -> tuple[Floats, Callable[[float], Floats]]:
    """Centers of cells of counts up to ``most``, and their prior masses given s."""
    whole = np.arange(1, min(64, int(most)) + 1, dtype=np.float64)
    edges = [whole[-1] + 0.5]
    while edges[-1] < most:
        edges.append(min(edges[-1] * 1.02, edges[-1] + max(widest, 1.0), most + 0.5))
    low, high = np.array(edges[:-1]), np.array(edges[1:])

    def masses(s: float) -> Floats:
        if abs(s - 1) < 1e-9:
            wide = np.log(high / low)
        else:
            wide = (high ** (1 - s) - low ** (1 - s)) / (1 - s)
        return np.concatenate([whole**-s, wide])

    return np.concatenate([whole, (low + high) / 2]), masses

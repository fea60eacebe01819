"""Consistent shares from unbiased ones: ten ways to use that shares are not negative and sum to 1.

Each takes unbiased shares (:class:`~sottovoce.estimators.unbiased.UnbiasedShares`) and returns shares, keeps
their order (equal shares may stay equal), and is O(d log d).

Reference: Wang, Lopuhaa-Zwakenberg, Li, Skoric, Li: Locally differentially
private frequency estimation with consistency, 2020.  ``alpha`` is the expected
number of values that pass the threshold although nobody holds them: the authors
use 2, the literature before them 0.05.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Floats
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = [
    "base_cut",
    "base_pos",
    "maximum_likelihood_approximation",
    "norm",
    "norm_cut",
    "norm_hyb",
    "norm_mul",
    "norm_sub",
    "project_by_variance",
    "threshold",
]


def threshold(unbiased: UnbiasedShares, alpha: float) -> Floats:
    """``T = max(0, Phi^-1(1 - alpha/d)) sigma``: alpha values of share 0 are expected above it."""
    expected = check_real(alpha, "alpha", "threshold", "a positive number")
    if expected <= 0:
        raise InvalidInput("alpha", "threshold", "a positive number", alpha)
    quantile = (
        NormalDist().inv_cdf(1 - expected / unbiased.size) if expected < unbiased.size else 0.0
    )
    return max(0.0, quantile) * unbiased.sigma


def base_pos(unbiased: UnbiasedShares) -> Floats:
    """Negative shares become 0.  Totals of many values are then too large."""
    return np.maximum(unbiased.shares, 0.0)


def base_cut(unbiased: UnbiasedShares, *, alpha: float = 2.0) -> Floats:
    """Shares below the threshold become 0.

    ``alpha`` is how many values that nobody holds are expected above the threshold.
    """
    return np.where(
        unbiased.shares < threshold(unbiased, alpha), 0.0, np.maximum(unbiased.shares, 0.0)
    )


def norm(unbiased: UnbiasedShares) -> Floats:
    """One constant is added to every share so that they sum to 1.  They may be negative."""
    return unbiased.shares + (1.0 - unbiased.shares.sum()) / unbiased.size


def norm_mul(unbiased: UnbiasedShares) -> Floats:
    """Negative shares become 0, the others are scaled to sum 1.  Large shares lose most."""
    positive = np.maximum(unbiased.shares, 0.0)
    return norm_sub(unbiased) if positive.sum() == 0.0 else positive / positive.sum()


def norm_sub(unbiased: UnbiasedShares) -> Floats:
    """One constant is added, what would be negative is 0: the projection on the simplex (CLS)."""
    return project_to_simplex(unbiased.shares)


def norm_cut(unbiased: UnbiasedShares) -> Floats:
    """The smallest shares become 0 until the rest sums to at most 1; large shares are untouched."""
    positive = np.maximum(unbiased.shares, 0.0)
    largest_first = np.sort(positive)[::-1]
    sums = np.cumsum(largest_first)
    most = 1.0 + 1e-12  # shares that sum to 1 may round to the other side of it
    if sums[-1] <= most:
        return positive
    kept = int(np.searchsorted(sums, most, side="right"))
    if kept == 0:  # one share alone exceeds 1
        return norm_sub(unbiased)
    least = largest_first[kept - 1]
    if largest_first[kept] == least:  # equal shares stay or go together
        kept = int((largest_first > least).sum())
        if kept == 0:
            return norm_sub(unbiased)
        least = largest_first[kept - 1]
    return np.where(positive >= least, positive, 0.0)


def norm_hyb(unbiased: UnbiasedShares, *, alpha: float = 2.0, k: int | None = None) -> Floats:
    """Shares above the threshold are kept, the others are projected to what is left of 1.

    ``alpha`` is how many values that nobody holds are expected above the threshold.  ``k`` is how many of
    the largest are kept instead, where that is known.

    If the kept alone exceed 1, as many of the largest are kept as stay below 1.  Where the others
    would have to rise, or nobody is left below, everything is projected: otherwise the order breaks.
    """
    if k is None:
        keep = unbiased.shares > threshold(unbiased, alpha)
    else:
        count = min(check_int(k, "k", "norm-hyb", 0), unbiased.size)
        keep = (
            unbiased.shares >= np.sort(unbiased.shares)[::-1][count - 1]
            if count
            else np.zeros(unbiased.size, bool)
        )
    if unbiased.shares[keep].sum() > 1.0:
        largest_first = np.sort(unbiased.shares)[::-1]
        count = int(np.searchsorted(np.cumsum(largest_first), 1.0, side="left"))
        keep = unbiased.shares > (largest_first[count] if count < unbiased.size else -np.inf)
    left = 1.0 - unbiased.shares[keep].sum()
    rest = unbiased.shares[~keep]
    if len(rest) == 0 or np.maximum(rest, 0.0).sum() < left:
        return norm_sub(unbiased)
    shares = unbiased.shares.copy()
    shares[~keep] = project_to_simplex(rest, left)
    return shares


def maximum_likelihood_approximation(unbiased: UnbiasedShares) -> Floats:
    """The approximate maximum of the normal likelihood on the simplex (MLE-Apx).

    Minimises ``sum (c/n - q - (p-q) f)^2 / (q(1-q) + (p-q)(1-p-q) f)``: on the
    values that stay positive, D1, ``f = (x - q - q(1-q) y) / (p - q + (p(1-p) -
    q(1-q)) y)`` with ``y = (sum x - |D1| q - (p-q)) / ((p-q)(1-p-q) + |D1| q(1-q))``,
    x the support frequencies.  Start with all values, take out the negative ones
    until there are none.  (The authors' formula; it solves their KKT conditions.)
    """
    p, q = unbiased.support_probabilities.p, unbiased.support_probabilities.q
    support = q + (p - q) * unbiased.shares
    alive = np.ones(unbiased.size, dtype=bool)
    while True:
        count = int(alive.sum())
        slack = (support[alive].sum() - count * q - (p - q)) / (
            (p - q) * (1 - p - q) + count * q * (1 - q)
        )
        shares = (support - q - q * (1 - q) * slack) / (p - q + (p * (1 - p) - q * (1 - q)) * slack)
        negative = alive & (shares < 0)
        if not negative.any():
            return np.where(alive, shares, 0.0)
        alive &= ~negative


def project_by_variance(shares: Floats, variances: Floats) -> Floats:
    """The x >= 0 of sum 1 that minimises ``sum (x - shares)^2 / variances``.

    ``x = max(shares + lambda variances, 0)`` for the one lambda that gives the sum:
    a value is positive while lambda exceeds ``-shares/variances``, so values
    sorted by that bound enter one by one.
    """
    spread = variances + 1e-300
    bounds = -shares / spread
    order = np.argsort(bounds, kind="stable")
    multipliers = (1.0 - np.cumsum(shares[order])) / np.cumsum(spread[order])
    entered = np.flatnonzero(multipliers > bounds[order])
    if len(entered) == 0:
        return project_to_simplex(shares)
    projected = np.maximum(shares + multipliers[entered[-1]] * spread, 0.0)
    return projected / projected.sum()

"""How well any method could do that treats all values equal: by the true histogram.

An oracle knows how many values have which true share, but not which value has
which.  Its posterior means, then made to sum to 1, have the least expected
squared error of all methods that treat values alike, up to terms that vanish
with the number of values.  No estimator can know this much: it is a bound, not a method.
"""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.consistency.projections import project_by_variance
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["oracle_shares"]


def oracle_shares(raw: UnbiasedShares, truth: Floats) -> Floats:
    """Posterior means under the true histogram and normal noise, projected to the simplex."""
    levels, holders = np.unique(truth, return_counts=True)
    variance = _variance(raw, truth, levels)
    log_prior = np.log(holders) - np.log(variance) / 2
    mean, spread = np.empty(raw.size), np.empty(raw.size)
    for part in np.array_split(np.arange(raw.size), max(1, raw.size * len(levels) // 2**21)):
        apart = (raw.shares[part, None] - levels) ** 2
        log_posterior = log_prior - apart / (2 * variance)
        weights = np.exp(log_posterior - log_posterior.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mean[part] = weights @ levels
        spread[part] = np.maximum(weights @ levels**2 - mean[part] ** 2, 0.0)
    return project_by_variance(mean, spread)


def _variance(raw: UnbiasedShares, truth: Floats, levels: Floats) -> Floats:
    """The variance of an estimate of each level: exact for a pure oracle, else by interpolation."""
    if raw.channel.support_probabilities is not None:
        return raw.channel.support_probabilities.variance(levels) / raw.n
    variances = raw.channel.variance(truth) / raw.n
    order = np.argsort(truth, kind="stable")
    return np.interp(levels, truth[order], variances[order])

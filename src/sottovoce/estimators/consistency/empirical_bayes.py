"""Empirical Bayes: let all values together tell how to shrink each.

Three steps, none of which sees the truth:

1. Shares up to 8 standard errors get the posterior means of a prior fitted to
   all of them (:mod:`sottovoce.estimators.consistency.prior`); larger ones stay.  What the sum
   lacks to 1 is shared in proportion to the posterior variances: the conditional
   mean given the total, where Norm-Sub would take the same from the certain and
   the uncertain.
2. A second opinion: the power-law posterior projected to the simplex (Power-NS),
   whose stiff prior is better when noise hides everything else.
3. The two are mixed with the weight that minimises Stein's unbiased estimate of
   the squared error, drawn towards one half by the worth of 20 values' noise.

With fewer than 100 small shares there is no prior to learn: Norm-Sub.  Where a
value has fewer than 30 supports by chance (randomized response over a large
domain), noise is not normal and its skew would be taken for shares: Power-NS.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.estimators.consistency.power import power
from sottovoce.estimators.consistency.prior import SMALL, fit_prior, posterior_of
from sottovoce.estimators.consistency.projections import norm_sub, project_to_simplex
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = ["MIXTURE_NEEDS", "empirical_bayes", "fitted_posterior", "project_by_variance"]

MIXTURE_NEEDS = 100
"""Small shares that a prior needs to be learned from."""
_NORMAL_NEEDS = 30
_TOWARDS_HALF = 20.0
_PROBE = 0.2


def empirical_bayes(unbiased: UnbiasedShares) -> Floats:
    """Shares of least expected squared error, as far as the reports can tell."""
    if np.count_nonzero(unbiased.shares < SMALL * _noise(unbiased)) < MIXTURE_NEEDS:
        return norm_sub(unbiased)
    if _too_few_to_be_normal(unbiased):
        return _power_law(unbiased)
    ours, theirs = _mixture(unbiased), _power_law(unbiased)
    weight = _stein_weight(unbiased, ours, theirs)
    return weight * ours + (1 - weight) * theirs


def fitted_posterior(unbiased: UnbiasedShares) -> tuple[Floats, Floats]:
    """Posterior mean and variance of every share, before the total is used."""
    sigma = _noise(unbiased)
    observed = unbiased.shares / sigma
    small = observed < SMALL
    mean, variance = observed.copy(), unbiased.variance / sigma**2
    if small.any():
        left = max((1 / sigma - observed[~small].sum()) / np.count_nonzero(small), 1e-7)
        posterior = posterior_of(observed[small], fit_prior(observed[small], left))
        mean[small], variance[small] = posterior.mean, posterior.variance
    return mean * sigma, variance * sigma**2


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


def _too_few_to_be_normal(unbiased: UnbiasedShares) -> bool:
    """Fewer than 30 chance supports a value: their counts are skewed, and look like signal."""
    support_probabilities = unbiased.channel.support_probabilities
    return (
        support_probabilities is not None
        and unbiased.n * support_probabilities.q * (1 - support_probabilities.q) < _NORMAL_NEEDS
    )


def _noise(unbiased: UnbiasedShares) -> float:
    return float(np.mean(unbiased.sigma))


def _mixture(unbiased: UnbiasedShares) -> Floats:
    return project_by_variance(*fitted_posterior(unbiased))


def _power_law(unbiased: UnbiasedShares) -> Floats:
    return project_to_simplex(power(unbiased))


def _stein_weight(unbiased: UnbiasedShares, ours: Floats, theirs: Floats) -> float:
    """The weight of ``ours`` by Stein's estimate, whose divergence is probed at random signs.

    For normal noise of variance s^2 the squared error of h(y) is
    ``|h - y|^2 + 2 s^2 div h`` up to a constant: quadratic in the weight.
    """
    sigma = _noise(unbiased)
    signs = np.where(Seeded(unbiased.size).words(unbiased.size) >> np.uint64(63) == 0, 1.0, -1.0)
    step = _PROBE * sigma * signs
    above, below = (
        replace(unbiased, shares=unbiased.shares + step),
        replace(unbiased, shares=unbiased.shares - step),
    )
    divergence = (
        signs
        @ ((_mixture(above) - _mixture(below)) - (_power_law(above) - _power_law(below)))
        / (2 * _PROBE * sigma)
    )
    apart = ours - theirs
    gain = apart @ (unbiased.shares - theirs) - sigma**2 * divergence
    prior = _TOWARDS_HALF * sigma**2
    return float(np.clip((gain + prior / 2) / (apart @ apart + prior), 0.0, 1.0))

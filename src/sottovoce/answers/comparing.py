"""What a difference of two unbiased answers is tested against: its error, and its p-value.

**Interval.**  ``second - first +- z sqrt(s1^2 + s2^2)``, where the sum is not below the least that
it can be (:mod:`sottovoce.answers.floors`).  For a share through a pure oracle, each side's error is
taken at a rate of support with one report more that supports the value and one more that does not,
``(n x + 1) / (n + 2)`` (Agresti and Caffo 2000).  Of 100 people and 1,000 at epsilon 4, intervals
without these hold the difference of shares of 5% in 92% of surveys, with them in 94%.

**Test of equal shares.**  The p-value of a share asks what chance would do if both sides had *one*
share, and takes the errors at that one, ``f = (n1 f1 + n2 f2) / (n1 + n2)`` (a score test):
``v(f) = [q(1-q) + f (p-q)(1-p-q)] / (p-q)^2`` for each side's p and q, with ``f (1-f)`` for the
sampling of people where the difference is about the population.  Errors at each side's own
share are too small where few reports speak for a value: of 100 people and 1,000 at epsilon 4, a
share of 1% would be called different in 7% of surveys without a difference, not in 5%.

For other answers, errors are those of the two sides, and p-values come from the interval's error.

Reference: Agresti, Caffo: Simple and effective confidence intervals for proportions and differences
of proportions, The American Statistician 54, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.errors import LinearErrors
from sottovoce.channels.base import Floats, SupportProbabilities

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["combine", "equal_share_stderr", "holm", "normal_p", "ratio_of", "share_stderr"]


def share_stderr(first: Estimate, second: Estimate, about: str) -> Floats | None:
    """The standard error of every difference of shares; None without pure oracles."""
    oracles = _pure_oracles(first, second)
    if oracles is None:
        return None
    total = np.zeros(first.domain.size)
    for errors, odds in oracles:
        rate = odds.q + errors.shares * (odds.p - odds.q)
        rate = (errors.n * rate + 1) / (errors.n + 2)
        total += _variance_at((rate - odds.q) / (odds.p - odds.q), errors, odds, about)
    return np.sqrt(total)


def equal_share_stderr(first: Estimate, second: Estimate, about: str) -> Floats | None:
    """The same if there were no difference: the errors at the share of both sides together."""
    oracles = _pure_oracles(first, second)
    if oracles is None:
        return None
    sides = [errors for errors, _ in oracles]
    pooled = np.average([e.shares for e in sides], axis=0, weights=[e.n for e in sides])
    parts = [_variance_at(pooled, errors, odds, about) for errors, odds in oracles]
    return np.sqrt(np.sum(parts, axis=0))


def _pure_oracles(*sides: Estimate) -> list[tuple[LinearErrors, SupportProbabilities]] | None:
    """The errors and support probabilities of unbiased estimates, where all have such."""
    found = []
    for side in sides:
        errors = side.error_model
        if not isinstance(errors, LinearErrors) or side.clips:
            return None
        odds = errors.channel.support_probabilities
        if odds is None:
            return None
        found.append((errors, odds))
    return found


def _variance_at(
    shares: Floats, errors: LinearErrors, odds: SupportProbabilities, about: str
) -> Floats:
    """The variance of every share if these were the true ones, never below the least there can be."""
    spread = shares * (1 - shares) if about == "population" else 0.0
    least = odds.variance(np.array([0.0, 1.0])).min()
    noise = np.maximum(odds.variance(shares) + spread, least) / errors.n
    return noise + errors.channel.hash_variances(errors.shares, noise)


def normal_p(value: Floats | float, stderr: Floats | float) -> Floats:
    """How often noise alone is at least as far from 0, exact far in the tail.

    >>> normal_p(np.array([0.0, 1.0, 1.96]), np.array([0.0, 0.0, 1.0])).round(3).tolist()
    [1.0, 0.0, 0.05]
    """
    ratio = ratio_of(value, stderr)
    return np.array([math.erfc(x / math.sqrt(2)) for x in ratio.ravel()]).reshape(ratio.shape)


def ratio_of(value: Floats | float, stderr: Floats | float) -> Floats:
    """``|value| / stderr``; without an error, 0 for 0 and infinite for the rest."""
    away, noise = np.broadcast_arrays(np.abs(value), np.asarray(stderr, dtype=np.float64))
    certain = np.where(away > 0, np.inf, 0.0)
    return np.divide(away, noise, out=certain, where=noise > 0)


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Holm's p-values: an error among *all* of them is as rare as each says.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(given, kind="stable")
    remaining = np.arange(len(order), 0, -1)
    steps = np.minimum(1.0, np.maximum.accumulate(given[order] * remaining))
    adjusted = np.empty_like(steps)
    adjusted[order] = steps
    return adjusted


def combine(first: Answer, second: Answer, confidence: float) -> Answer:
    """``second - first`` of answers whose intervals need not be symmetric, such as quantiles.

    Errors add in squares, to each side those that lead there.
    """
    value = second.value - first.value
    below = math.hypot(second.value - second.low, first.high - first.value)
    above = math.hypot(second.high - second.value, first.value - first.low)
    stderr = (below + above) / (2 * two_sided(confidence))
    p_value = float(normal_p(value, stderr))
    low, high = value - below, value + above
    return Answer(value, stderr, low, high, first.label, confidence, p_value, unit=first.unit)

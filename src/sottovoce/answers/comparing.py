"""What a difference of two unbiased answers is tested against: its error, and its p-value.

**Interval.**  ``second - first +- z sqrt(s1^2 + s2^2)``, where the sum is not below the least that
it can be (:mod:`sottovoce.answers.floors`).

**Test of equal shares.**  The p-value of a share asks what chance would do if both sides had *one*
share, and takes the errors at that one, ``f = (n1 f1 + n2 f2) / (n1 + n2)`` (a score test):
``v(f) = [q(1-q) + f (p-q)(1-p-q)] / (p-q)^2`` for each side's p and q, with ``f (1-f)`` for the
sampling of people where the difference is about the population.  Errors taken at each side's own
share are too small where few reports speak for a value: of 100 people and 1,000 at epsilon 4, a
share of 1% would be called different in 7% of surveys without a difference, not in 5%.

For other answers, p-values come from the interval's error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.errors import LinearErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.channels.base import Floats

__all__ = ["combine", "equal_share_stderr", "holm", "normal_p", "ratio_of"]


def equal_share_stderr(first: Estimate, second: Estimate, about: str) -> Floats | None:
    """The standard error of every difference of shares if there were none; None without pure oracles."""
    sides = [(side.error_model, side.n, side.require_shares("share")) for side in (first, second)]
    pooled = np.average([f for _, _, f in sides], axis=0, weights=[n for _, n, _ in sides])
    total = np.zeros(len(pooled))
    for errors, n, shares in sides:
        if not isinstance(errors, LinearErrors):
            return None
        odds = errors.channel.support_probabilities
        if odds is None:
            return None
        spread = pooled * (1 - pooled) if about == "population" else 0.0
        least = odds.variance(np.array([0.0, 1.0])).min()
        noise = np.maximum(odds.variance(pooled) + spread, least) / n
        total += noise + errors.channel.hash_variances(shares, noise)
    return np.sqrt(total)


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
    return Answer(value, stderr, value - below, value + above, first.label, confidence, p_value)

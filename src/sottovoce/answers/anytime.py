"""Intervals that may be looked at as often as one likes, on data that grow.

An interval of 95% is right for one look, planned in advance.  Looked at on 30 days of a growing
survey, it holds the truth on *all* of them in 72% of surveys.  An anytime interval is

    estimate +- m(tau) stderr,     m(tau)^2 = (1 + 1/(x tau)) ln((1 + x tau) / alpha^2),

with ``tau = (stderr* / stderr)^2``, ``stderr*`` the standard error at which the interval is to be
narrowest, fixed before the first look.  Where the variance of a report is constant,
``tau = n / n*``.

**Where from.**  ``S = estimate / stderr^2`` has the variance ``I = 1 / stderr^2`` and independent
increments, as unbiased linear answers of a growing tally have.  Robbins' normal mixture: ``|S - I
theta| >= sqrt((I + rho) ln((I + rho) / (rho alpha^2)))`` happens at any time with probability alpha
at most.  ``rho = I* / x`` makes it narrowest at ``I*``, where ``(1 + x) e^-x = alpha^2``, that is
``x = -W(-alpha^2 / e) - 1`` with Lambert's W on its lower branch.

Answers of other methods (shrunken, constrained, fitted) have no independent increments: anytime
intervals are those of the unbiased estimate.

References: Robbins, Statistical methods related to the law of the iterated logarithm, 1970;
Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas: Time-uniform central limit theory and asymptotic
confidence sequences, Annals of Statistics 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sottovoce.answers.answer import two_sided
from sottovoce.base.checks import check_int
from sottovoce.channels.base import Floats

__all__ = ["ONE_LOOK", "Looks", "always_valid_p", "any_look", "mixture_scale", "multiplier"]

ONE_LOOK = "right for one look, planned in advance"

_BATCHES = 10
"""Without a plan, intervals are narrowest at this many minimum batches."""
_STEPS = 64


def any_look(confidence: float = 0.95) -> str:
    """What an anytime interval promises, in words.

    >>> any_look()[55:]
    'in 95 of 100 surveys the truth is inside at every look.'
    """
    return (
        "These intervals may be looked at as often as you like: "
        f"in {100 * confidence:.6g} of 100 surveys the truth is inside at every look."
    )


def mixture_scale(alpha: float) -> float:
    """x, for which the interval is narrowest at tau = 1: the positive root of ``x - ln(1 + x) = -2 ln alpha``.

    Newton's steps from above: the left side is convex, so they fall to the root.

    >>> [round(mixture_scale(alpha), 3) for alpha in (0.1, 0.05, 0.01)]
    [6.638, 8.212, 11.756]
    """
    level = -2.0 * math.log(alpha)
    x = level + math.sqrt(2.0 * level) + 1.0
    for _ in range(_STEPS):
        step = (x - math.log1p(x) - level) * (1.0 + x) / x
        x -= step
        if abs(step) <= 1e-14 * x:
            break
    return x


def multiplier(tau: Floats | float, alpha: float) -> Floats:
    """m(tau): how many standard errors an anytime interval reaches to either side.

    >>> multiplier(np.array([0.1, 1, 10]), 0.05).round(3).tolist()
    [3.823, 3.035, 3.246]
    """
    scaled = mixture_scale(alpha) * np.asarray(tau, dtype=np.float64)
    return np.sqrt((1.0 + 1.0 / scaled) * (np.log1p(scaled) - 2.0 * math.log(alpha)))


def always_valid_p(ratio: Floats | float, tau: Floats | float, alpha: float) -> Floats:
    """The level at which an anytime interval just reaches 0, ``ratio`` standard errors away.

    The interval's formula solved for its level, with the x of ``alpha``: below alpha exactly where
    the interval at ``1 - alpha`` does not hold 0, and below any p at any look in a share p of
    surveys without a difference, at most.
    """
    scaled = mixture_scale(alpha) * np.asarray(tau, dtype=np.float64)
    log_p = 0.5 * (np.log1p(scaled) - np.square(ratio) * scaled / (1.0 + scaled))
    return np.exp(np.minimum(0.0, log_p))


@dataclass(frozen=True)
class Looks:
    """That answers are looked at again and again while reports come in.

    Parameters
    ----------
    narrowest : float
        n*, the number of reports at which intervals are narrowest, fixed before the first look.
        Chosen after a look at the data, it voids what the intervals promise.
    """

    narrowest: float

    @classmethod
    def planned(cls, planned: int | None = None, minimum_batch: int = 100) -> Looks:
        """n* of a plan: half of the people planned, else ten times the minimum batch."""
        if planned is None:
            batch = check_int(minimum_batch, "minimum_batch", "anytime", 1)
            return cls(float(_BATCHES * batch))
        return cls(check_int(planned, "planned", "anytime", 1) / 2)

    def reach(self, n: float, confidence: float) -> float:
        """Standard errors to either side of an answer from n reports."""
        two_sided(confidence)  # which refuses what is not a level
        return float(multiplier(n / self.narrowest, 1.0 - confidence))

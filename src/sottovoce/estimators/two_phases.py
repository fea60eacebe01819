"""The variance of numbers from two groups of people: first their mean, then distances to it.

Mechanisms that tell a mean well (piecewise, stochastic rounding) tell no more than a mean.
But the variance is a mean as well: of ``(v - mean)^2``.  So one half of the people report
their number; the estimated mean m is made public; the others report their squared distance
to m, a number between 0 and ``M = max(m - low, high - m)^2``.

On average a squared distance is ``variance + (m - mean)^2``, and the square of the first
half's error is on average the variance of m, which is known: it is subtracted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer, answer
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.estimators.estimate import estimate

__all__ = ["TwoPhaseVariance"]

_DIGITS = 6
"""The public mean has so many digits behind those of the interval's width."""


@dataclass(frozen=True)
class TwoPhaseVariance:
    """The variance of numbers from two groups of people, each of whom reports once.

    The first group reports its numbers, for the mean; the second reports squared distances to it.

    Parameters
    ----------
    interval : Interval
        The numbers.
    epsilon : float
        The privacy parameter of every report.
    mechanism : str
        A mechanism that estimates a mean, such as ``"piecewise"`` or ``"stochastic-rounding"``.
    options : dict
        Its options, in both phases.

    Examples
    --------
    >>> import numpy as np, sottovoce as sv
    >>> ages = sv.Seeded(1).generator().normal(40, 10, 200_000).clip(0, 100)
    >>> survey = sv.TwoPhaseVariance(sv.Interval(0, 100, bins=64), epsilon=2.0)
    >>> first = survey.first.tally(survey.first.randomize(ages[:100_000], source=sv.Seeded(2)))
    >>> mean = survey.mean(first)
    >>> second = survey.second(mean)
    >>> squares = survey.squares(ages[100_000:], mean)
    >>> answer = survey.answer(first, second.tally(second.randomize(squares, source=sv.Seeded(3))))
    >>> abs(answer.value - 100) < 4 * answer.stderr
    True
    """

    interval: Interval
    epsilon: float
    mechanism: str = "piecewise"
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.interval, Domain) or self.interval.numbers is None:
            raise InvalidInput("interval", "TwoPhaseVariance", "an Interval", self.interval)
        _ = self.first  # refuses what is wrong at once

    def _over(self, interval: Interval) -> Mechanism:
        return mechanism(self.mechanism, interval, self.epsilon, **self.options)

    @cached_property
    def first(self) -> Mechanism:
        """What the first half of the people answer with: their number."""
        return self._over(self.interval)

    def mean(self, first_tally: Tally) -> float:
        """The mean that is made public after the first phase, within the interval."""
        return self._public(self._told(first_tally, self.first, "first"))

    def second(self, mean: float) -> Mechanism:
        """What the others answer with: their squared distance to the public mean."""
        return self._over(Interval.agreed(0.0, self._farthest(mean), self.interval.bins))

    def squares(self, values: Any, mean: float) -> Floats:
        """What a device computes before it randomizes: squared distances, never above the largest."""
        numbers = np.atleast_1d(np.asarray(values))
        self.interval.indices(numbers)  # refuses what lies outside
        distances = (numbers.astype(np.float64) - mean) ** 2
        return np.minimum(distances, self._farthest(mean))

    def answer(
        self, first_tally: Tally, second_tally: Tally, *, confidence: float = 0.95
    ) -> Answer:
        """The variance among the people both halves were drawn from, with its error.

        Its error has two parts: that of the mean distance, and that of ``(m - mean)^2``
        around what is subtracted for it, which under the normal law has variance ``2 s^4``,
        s the standard error of m.
        """
        told = self._told(first_tally, self.first, "first")
        distances = self._told(second_tally, self.second(self._public(told)), "second")
        value = distances.value - told.stderr**2
        stderr = math.hypot(distances.stderr, math.sqrt(2) * told.stderr**2)
        return answer(value, stderr, "variance", confidence)

    def _public(self, told: Answer) -> float:
        """Few digits, so that it is written the same everywhere."""
        width = self.interval.high - self.interval.low
        digits = _DIGITS - math.floor(math.log10(width))
        return min(max(round(told.value, digits), self.interval.low), self.interval.high)

    def _farthest(self, mean: float) -> float:
        low, high = self.interval.low, self.interval.high
        allowed = f"a number from {low:g} to {high:g}"
        number = check_real(mean, "mean", "TwoPhaseVariance", allowed)
        if not low <= number <= high:
            raise InvalidInput("mean", "TwoPhaseVariance", allowed, mean)
        return max(number - low, high - number) ** 2

    def _told(self, tally: Tally, wanted: Mechanism, phase: str) -> Answer:
        if not isinstance(tally, Tally):
            raise InvalidInput(f"{phase}_tally", "TwoPhaseVariance", "a Tally", tally)
        if tally.mechanism != wanted:
            raise Mismatch(
                f"the {phase} phase is answered with {wanted} ({wanted.fingerprint}); "
                f"this tally is of {tally.mechanism} ({tally.mechanism.fingerprint})"
            )
        return estimate(tally, "unbiased").for_population().mean()

"""Error bars of likelihood estimates: repeat the survey from plausible truths, and fit again.

A population with a plausible distribution answers the survey again, by the exact law of
its tally, and the same method is run on the new tally.  The difference to what it was
drawn from is the error of a plausible repetition; the root mean square of many holds the noise
and the method's bias.

The estimate itself would be a poor truth: where it is smoother than the real one, smoothing
it once more shows too little bias.  So truths are drawn:

- over ordered values with an exact likelihood, from the posterior of ``adaptive``;
- else from the posterior that :mod:`sottovoce.estimators.errors.bootstrap` uses, around unbiased shares;
- where there is neither, the estimate has to do.

What is simulated is a tally, also where whole reports were fitted: their likelihood tells more,
so that such errors are on the safe side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats
from sottovoce.estimators.errors.bootstrap import plausible_truths, whole_counts
from sottovoce.estimators.methods import Method
from sottovoce.estimators.observed import Fit, Observed
from sottovoce.estimators.smooth.adaptive import no_single_likelihood, posterior
from sottovoce.estimators.unbiased import unbiased_shares

__all__ = ["ParametricBootstrap", "Replicates", "without_progress"]

_MOST, _LEAST = 40, 20
_VALUES = 25_600
"""Replicates times values: beyond 640 values there are fewer replicates."""


def without_progress(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a fit that is repeated: nobody follows the repetitions."""
    return {name: value for name, value in options.items() if name != "progress"}


class Replicates(ABC):
    """Errors from replicates: their root mean square, which holds noise and bias."""

    @property
    @abstractmethod
    def errors(self) -> Floats:
        """One row a replicate: estimate minus truth, value by value."""

    @property
    @abstractmethod
    def shares(self) -> Floats:
        """The estimate."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many people."""

    def stderr(self, about: str) -> Floats:
        variance = np.mean(self.errors**2, axis=0)
        if about == "population":
            variance = variance + self.shares * (1 - self.shares) / self.n
        return np.sqrt(variance)

    def stderr_of(self, weights: Floats, about: str) -> float:
        variance = float(np.mean((self.errors @ weights) ** 2))
        if about == "population":
            shares = self.shares
            spread = float(shares @ weights**2 - (shares @ weights) ** 2)
            variance += max(spread, 0.0) / self.n
        return float(np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class ParametricBootstrap(Replicates):
    """The errors of ``method`` on repetitions of the survey that gave ``evidence``."""

    observed: Observed
    method: Method
    options: dict[str, Any]
    fit: Fit

    @cached_property
    def errors(self) -> Floats:
        n, mechanism = self.observed.n, self.observed.mechanism
        source, rows = Seeded(n), []
        with one_product_thread():
            for truth in self._truths(source):
                counts = whole_counts(truth * n, n)
                tally = mechanism.simulate(counts, source=source)
                rows.append(self.method.run(Observed(tally), self.options).shares - counts / n)
        return np.array(rows)

    def _truths(self, source: Seeded) -> list[Floats]:
        """Distributions that could have given these reports."""
        count = min(_MOST, max(_LEAST, _VALUES // len(self.fit.shares)))
        if not no_single_likelihood(self.observed.mechanism):
            return posterior(self.observed).draws(count, source.generator())
        if self.observed.channel.inverse is not None:
            return plausible_truths(unbiased_shares(self.observed.tally), count, source)
        return [self.fit.shares] * count

    @property
    def shares(self) -> Floats:
        return self.fit.shares

    @property
    def n(self) -> int:
        return self.observed.n

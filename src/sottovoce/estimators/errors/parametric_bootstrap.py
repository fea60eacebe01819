"""Error bars of likelihood estimates: repeat the survey from plausible truths, and fit again.

A population with a plausible distribution answers the survey again, by the exact law of
its tally, and the same method is run on the new tally (:mod:`sottovoce.estimators.errors.replicates`).

The estimate itself would be a poor truth: where it is smoother than the real one, smoothing
it once more shows too little bias.  So truths are drawn:

- over ordered values with an exact likelihood, from the posterior of ``adaptive``;
- else from the posterior that :mod:`sottovoce.estimators.errors.bootstrap` uses, around unbiased shares;
- where there is neither, the estimate has to do.

What is simulated is a tally, also where whole reports were fitted: their likelihood tells more,
so that such errors are on the safe side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.estimators.errors.bootstrap import plausible_truths
from sottovoce.estimators.errors.replicates import Counts, Replicates
from sottovoce.estimators.methods import Method
from sottovoce.estimators.observed import Fit, Observed
from sottovoce.estimators.smooth.adaptive import no_single_likelihood, posterior
from sottovoce.estimators.unbiased import unbiased_shares

__all__ = ["ParametricBootstrap", "without_progress"]

_MOST, _LEAST = 40, 20
_VALUES = 25_600
"""Replicates times values: beyond 640 values there are fewer replicates."""


def without_progress(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a fit that is repeated: nobody follows the repetitions."""
    return {name: value for name, value in options.items() if name != "progress"}


@dataclass(frozen=True, eq=False)
class ParametricBootstrap(Replicates):
    """The errors of ``method`` on repetitions of the survey that gave ``evidence``."""

    observed: Observed
    method: Method
    options: dict[str, Any]
    fit: Fit

    one_thread = True

    def again(self, counts: Counts, source: Seeded) -> Floats:
        tally = self.observed.mechanism.simulate(counts, source=source)
        return self.method.run(Observed(tally), self.options).shares

    def truths(self, source: Seeded) -> list[Floats]:
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

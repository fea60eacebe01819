"""Error bars of likelihood estimates: repeat the survey from what was found, and fit again.

A population with the estimated shares answers the survey again, by the exact law
of its tally, and the same method is run on the new tally.  The differences to
the shares it was drawn from are errors of a plausible repetition; their root mean
square holds the noise, and the method's bias as far as the estimate shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.core.channel import Floats
from sottovoce.core.randomness import Seeded
from sottovoce.estimators.bootstrap import whole_counts
from sottovoce.estimators.evidence import Evidence, Fit
from sottovoce.estimators.methods import Method

__all__ = ["Refits"]

_REPLICATES = 50


@dataclass(frozen=True, eq=False)
class Refits:
    """The errors of ``method`` on repetitions of the survey that gave ``evidence``."""

    evidence: Evidence
    method: Method
    options: dict[str, Any]
    fit: Fit

    @cached_property
    def errors(self) -> Floats:
        """One row a replicate: estimate minus truth, value by value."""
        n, mechanism = self.evidence.n, self.evidence.mechanism
        counts = whole_counts(self.fit.shares * n, n)
        source, rows = Seeded(n), []
        for _ in range(_REPLICATES):
            tally = mechanism.simulate(counts, source=source)
            rows.append(self.method.run(Evidence(tally), self.options).shares - counts / n)
        return np.array(rows)

    def stderr(self, about: str) -> Floats:
        variance = np.mean(self.errors**2, axis=0)
        if about == "population":
            variance = variance + self.fit.shares * (1 - self.fit.shares) / self.evidence.n
        return np.sqrt(variance)

    def stderr_of(self, weights: Floats, about: str) -> float:
        variance = float(np.mean((self.errors @ weights) ** 2))
        if about == "population":
            shares = self.fit.shares
            spread = float(shares @ weights**2 - (shares @ weights) ** 2)
            variance += max(spread, 0.0) / self.evidence.n
        return float(np.sqrt(variance))

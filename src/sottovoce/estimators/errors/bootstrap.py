"""Error bars of estimates that have no formula: simulate the survey again, many times.

Each replicate draws a *plausible* truth given the reports, has a population with
that truth answer the survey again, and runs the same method on the new tally
(:mod:`sottovoce.estimators.errors.replicates`).

A plausible truth is drawn from the posterior of ``exchangeable`` where there are
enough values to learn a prior from, else from the normal law of the unbiased
shares; in both cases it is projected to the simplex.  Simulating from the
estimate itself would not do: it is smoother than the truth.

The new survey follows its exact law where that costs no drawing of reports, or
where there are few; else the normal law of unbiased shares, with the variance of
each and of their total.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.base.simplex import project_to_simplex
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.estimators.errors.replicates import Counts, Replicates
from sottovoce.estimators.exchangeable.exchangeable import posterior_of
from sottovoce.estimators.exchangeable.prior_averaging import LEARNING_NEEDS
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares

__all__ = ["Bootstrap", "plausible_truths"]

MOST_REPLICATES, LEAST_REPLICATES = 100, 20
_VALUES = 10_000_000
"""Replicates times values: beyond 100,000 values there are fewer replicates."""
_FEW_REPORTS = 10_000
"""So many reports are drawn for a replicate where the tally has no law of its own."""


@dataclass(frozen=True, eq=False)
class Bootstrap(Replicates):
    """The errors of ``method`` on plausible repetitions of the survey that gave ``tally``."""

    tally: Tally
    unbiased: UnbiasedShares
    method: Callable[[UnbiasedShares], Floats]
    replicates: int = 0

    def truths(self, source: Seeded) -> list[Floats]:
        wanted = min(MOST_REPLICATES, max(LEAST_REPLICATES, _VALUES // self.unbiased.size))
        return plausible_truths(self.unbiased, self.replicates or wanted, source)

    def again(self, counts: Counts, source: Seeded) -> Floats:
        return self.method(self._survey(counts, source))

    def _survey(self, counts: Counts, source: Seeded) -> UnbiasedShares:
        mechanism = self.tally.mechanism
        has_law = type(mechanism)._simulate is not Mechanism._simulate
        if has_law or self.tally.n <= _FEW_REPORTS:
            return unbiased_shares(mechanism.simulate(counts, source=source))
        return replace(self.unbiased, shares=_normal(self.unbiased, counts / self.tally.n, source))

    @property
    def shares(self) -> Floats:
        return project_to_simplex(self.unbiased.shares)

    @property
    def shares_one_by_one(self) -> Floats:
        return np.clip(self.unbiased.shares, 0.0, 1.0)

    @property
    def n(self) -> int:
        return self.tally.n


def plausible_truths(unbiased: UnbiasedShares, count: int, source: Seeded) -> list[Floats]:
    """Distributions that could have given these reports."""
    random = source.generator()
    if (
        unbiased.channel.inverse is None
    ):  # as rough as reports through a kernel say, rougher than the truth
        return [project_to_simplex(unbiased.shares)] * count
    if unbiased.size >= LEARNING_NEEDS:
        posterior = posterior_of(unbiased)
        mean, spread = posterior.shares, posterior.stderr("respondents")
    else:
        mean, spread = unbiased.shares, np.sqrt(np.maximum(unbiased.variance, 0.0))
    return [project_to_simplex(random.normal(mean, spread)) for _ in range(count)]


def _normal(unbiased: UnbiasedShares, truth: Floats, source: Seeded) -> Floats:
    """Unbiased shares around ``truth``: right variances of each and of all together."""
    random, channel = source.generator(), unbiased.channel
    variances = np.maximum(channel.variance(truth), 0.0) / unbiased.n
    of_all = channel.variance_of(np.ones(unbiased.size), channel.forward(truth), truth) / unbiased.n
    part = variances / variances.sum()
    # Giving the noise another total takes part of its variance and adds part^2 of the total's.
    own = np.maximum(variances - part**2 * of_all, 0.0) / np.maximum(1 - part, 1e-9)
    noise = random.normal(0.0, np.sqrt(own))
    return truth + noise + part * (random.normal(0.0, np.sqrt(of_all)) - noise.sum())

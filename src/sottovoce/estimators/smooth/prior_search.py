"""Which priors of smoothness explain the reports: a walk from one to its neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.estimators.smooth.map_fit import Penalised, Problem
from sottovoce.estimators.smooth.priors import LEVELS, ORDERS, Smoothness

__all__ = ["MOST_PRIORS", "PriorSearch"]

_SLACK = 3.0
"""Priors whose log-evidence is within this of the best have their neighbours tried."""
MOST_PRIORS = 48
_NEGLIGIBLE = 1e-3
"""Priors so much less probable than the best are left out of the mean."""


@dataclass(eq=False)
class PriorSearch:
    """The priors tried on one problem, and the fit under each."""

    problem: Problem
    meter: Meter
    steps: int = 0
    tried: dict[Smoothness, Penalised] = field(default_factory=dict)

    def try_one(self, smoothness: Smoothness, near: Floats) -> Penalised:
        """The fit under one prior, found from the shares ``near`` unless known already."""
        if smoothness not in self.tried:
            self.tried[smoothness] = self.problem.solve(smoothness, near)
            self.steps += self.tried[smoothness].steps
            self.meter.show(len(self.tried), self.best.log_marginal)
        return self.tried[smoothness]

    @property
    def best(self) -> Penalised:
        """The fit whose prior has the greatest evidence."""
        return max(self.tried.values(), key=lambda one: one.log_marginal)

    def em_run(self, start: Smoothness, near: Floats) -> Penalised:
        """From one prior up or down the levels of roughness to the best."""
        here = self.try_one(start, near)
        for way in (1, -1):
            while LEVELS[0] <= here.smoothness.level + way <= LEVELS[1]:
                level = here.smoothness.level + way
                there = self.try_one(replace(start, level=level), here.shares)
                if there.log_marginal <= here.log_marginal:
                    break
                here = there
        return here

    def explore(self, start: Smoothness, near: Floats, warps: tuple[float, ...]) -> None:
        """Every order and warp up to its best level, then all neighbours of good priors."""
        for warp in warps:
            for order in ORDERS:
                self.em_run(replace(start, order=order, warp=warp), near)
        expanded: set[Smoothness] = set()
        while len(self.tried) < MOST_PRIORS:
            promising = [
                one for one in self.tried.values()
                if one.smoothness not in expanded and one.log_marginal >= self.best.log_marginal - _SLACK
            ]  # fmt: skip
            if not promising:
                break
            here = max(promising, key=lambda one: one.log_marginal)
            expanded.add(here.smoothness)
            for neighbour in here.smoothness.neighbours(warps):
                self.try_one(neighbour, here.shares)

    def probabilities(self) -> list[tuple[float, Penalised]]:
        """The fits that matter, with the probability of the prior of each."""
        fits = sorted(self.tried.values(), key=lambda one: -one.log_marginal)
        weights = np.exp([one.log_marginal - fits[0].log_marginal for one in fits])
        weights = weights[weights >= _NEGLIGIBLE]
        return list(zip(weights / weights.sum(), fits[: len(weights)], strict=True))

    def mean(self) -> Floats:
        """The mean of the fits, each weighted by the probability of its prior."""
        total: Floats = np.sum([p * one.shares for p, one in self.probabilities()], axis=0)
        return total / total.sum()

"""Which priors of smoothness explain the reports: a walk from one to its neighbours."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.estimators.smooth.atoms import promising_atoms
from sottovoce.estimators.smooth.map_fit import ENOUGH, Penalised, Problem
from sottovoce.estimators.smooth.priors import LEVELS, ORDERS, SCATTERS, UNIFORM, Smoothness

__all__ = ["MOST_PRIORS", "PriorSearch"]

_SLACK = 3.0
"""Priors whose log-evidence is within this of the best have their neighbours tried."""
MOST_PRIORS = 48
_NO_ATOM = 5e-4
"""Share below which an atom is dropped."""
_NEGLIGIBLE = 1e-3
"""Priors so much less probable than the best are left out of the mean."""


@dataclass(eq=False)
class PriorSearch:
    """The priors tried on one problem, and the fit under each."""

    problem: Problem
    meter: Meter
    steps: int = 0
    tried: dict[Smoothness, Penalised] = field(default_factory=dict)

    def try_one(self, smoothness: Smoothness, near: Floats | Penalised) -> Penalised:
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

    def refined(self) -> Penalised:
        """The best fit, brought nearer to its optimum if need be."""
        best = self.best
        return best if best.promised <= ENOUGH else self.problem.solve(best.smoothness, best)

    def climb(self, start: Smoothness, near: Floats | Penalised) -> Penalised:
        """From one prior up or down the levels of roughness to the best."""
        here = self.try_one(start, near)
        for way in (1, -1):
            while LEVELS[0] <= here.smoothness.level + way <= LEVELS[1]:
                level = here.smoothness.level + way
                there = self.try_one(replace(start, level=level), here)
                if there.log_marginal <= here.log_marginal:
                    break
                here = there
        return here

    def explore(self, start: Smoothness, near: Floats, warps: tuple[float, ...]) -> None:
        """Every order, warp and scatter up to its best level, then all neighbours of good priors."""
        self.try_one(UNIFORM, near)
        for order in ORDERS:
            self.climb(replace(start, order=order), near)
        for warp in warps:
            here = self.best
            if here.smoothness.order:
                self.climb(replace(here.smoothness, warp=warp), here)
        here = self.best
        if here.smoothness.order:
            for scatter in SCATTERS:
                self.try_one(replace(here.smoothness, scatter=scatter), here)
        expanded = {one for one in self.tried if one.order == 0}
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
                self.try_one(neighbour, here)

    def with_atoms(self, base: Penalised) -> PriorSearch:
        """This search, or a better one with atoms, found from the fit ``base``."""
        found = self
        for _ in range(4):
            atoms = promising_atoms(found.problem, base)
            if len(atoms) == len(found.problem.atoms):
                break
            search = PriorSearch(self.problem.with_atoms(atoms), self.meter, found.steps)
            here = search.climb(base.smoothness, base.smooth)
            kept = atoms[here.z[len(here.z) - len(atoms) :] > _NO_ATOM]
            if len(kept) < len(atoms):
                search = PriorSearch(self.problem.with_atoms(kept), self.meter, search.steps)
                here = search.climb(here.smoothness, here.smooth)
            if found is not self and here.log_marginal <= found.best.log_marginal:
                break
            found, base = search, here
        return found if found.best.log_marginal > self.best.log_marginal else self

    def probabilities(self, *, uniform: bool = True) -> list[tuple[float, Penalised]]:
        """The fits that matter, with the probability of the prior of each.

        Without the ``uniform`` one, given that another holds.

        Priors of the best scatter were all tried; of another scatter one stands for as many.
        """
        some = [one for one in self.tried.values() if uniform or one.smoothness.order]
        fits = sorted(some, key=lambda one: -one.log_marginal)
        scatter = fits[0].smoothness.scatter
        weights = np.exp([one.log_marginal - fits[0].log_marginal for one in fits])
        same = np.array([one.smoothness.scatter == scatter for one in fits])
        weights[~same] *= weights[same].sum()
        order = np.argsort(-weights, kind="stable")
        order = order[weights[order] >= _NEGLIGIBLE * weights.max()]
        chances = weights[order] / weights[order].sum()
        return [(float(p), fits[i]) for p, i in zip(chances, order, strict=True)]

    def mean(self) -> Floats:
        """The mean of the fits, each weighted by the probability of its prior."""
        total: Floats = np.sum([p * one.shares for p, one in self.probabilities()], axis=0)
        total = np.maximum(total, 0.0)
        return total / total.sum()

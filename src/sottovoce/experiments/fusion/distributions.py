"""Distributions from several services: figures 4 to 8, their lower halves, under three rules of stopping.

The paper prints that EM stops once a pass changes the log-likelihood by less than epsilon; that
this is the rule of Li et al. 2020, which has 0.001 e^epsilon; and its program smooths (EMS) and stops
at 0.001.  All lines of a cell follow one rule, with the largest epsilon of its services; but for the rule
``own``, under which every single service stops at its own epsilon, and only what is fused at the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.estimators.likelihood.em import MOST_PASSES, em, ems
from sottovoce.estimators.observed import Fit, Observed
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.fusion.services import (
    DOMAIN,
    EPSILONS,
    SHARE_SETTINGS,
    THREE,
    Kinds,
    alike,
    made,
)
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.sweep import Curves, sweep
from sottovoce.experiments.fusion.values import some_people
from sottovoce.experiments.numbers import Numbers
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.services import Fusion

__all__ = [
    "BUDGETS",
    "COUNTS",
    "RULES",
    "SLOW",
    "SOME_EPSILONS",
    "Fits",
    "by_cells",
    "by_count",
    "by_epsilon",
    "by_mechanism",
    "by_people",
    "by_setting",
    "divergences",
]


RULES = ("printed", "published", "smoothed", "own")
SLOW = RULES[1:3]
"""Those that take many passes."""
_PRINTED = RULES[:1]
OUTPUTS = 64
"""With three services a user has one of 8,192 different reports, whatever the number of users.  With
more there are as many as users, and the mechanisms' own 256 cells are faster: each has fewer steps."""
_MANY_OUTPUTS = 256
COUNTS = (3, 6, 9, 12, 15)
BUDGETS = (0.1, 0.2, 0.3)
SMALL = 0.1
SOME_EPSILONS = (0.3, 0.6)
"""Of the rules that take many passes."""
_STEP = 1e-3
_NO_SHAPE = "sr"
"""Reports that tell a mean only: smoothing makes of them what it likes."""


@dataclass(frozen=True, eq=False)
class Fits:
    """Distributions of one population, from each service and from all."""

    data: Numbers
    kinds: Kinds
    names: tuple[str, ...]
    """What the services are called; if there are more of them, only these are lines of their own."""
    people: int
    rules: tuple[str, ...]
    most: int = MOST_PASSES
    outputs: int | None = OUTPUTS
    """Cells in which reports of waves are counted; the mechanism's own number if None."""

    def __str__(self) -> str:
        told = ", ".join(f"{name} {epsilon:g}" for name, epsilon in self.kinds)
        how = f"{self.people}, {self.outputs}, {' '.join(self.rules)}"
        return f"{self.data.name}, {how}: {told}"

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """One a service."""
        return made(self.kinds, self.outputs)

    def lines(self, rule: str) -> tuple[str, ...]:
        """Single services, then the fused one; where all is smoothed, those that tell a shape."""
        kept = zip(self.names, self.kinds, strict=False)
        return (*(n for n, (k, _) in kept if rule != "smoothed" or k != _NO_SHAPE), "ule")

    @property
    def measures(self) -> list[tuple[str, tuple[str, ...]]]:
        """Divergences under every rule, and the passes they took."""
        both = [(rule, f"{rule}-passes") for rule in self.rules]
        return [(each, self.lines(rule)) for rule, passes in both for each in (rule, passes)]

    def epsilon(self, rule: str, line: str) -> float:
        """By which epsilon a line is stopped."""
        if rule == "own" and line in self.names:
            return self.kinds[self.names.index(line)][1]
        return max(epsilon for _, epsilon in self.kinds)

    def draw(self, source: Seeded) -> Errors:
        """Divergences from the true distribution by rule, and how many passes each line took."""
        values = some_people(self.data, self.people, source.generator())
        truth = np.bincount(DOMAIN.indices(values), minlength=DOMAIN.bins) / self.people
        reports = [each.randomize(values, source=source) for each in self.mechanisms]
        sources = dict(zip(self.names, map(Observed.of, reports), strict=False))
        sources["ule"] = fused_evidence(self.mechanisms, reports)
        errors = {}
        for rule in self.rules:
            fits = {
                line: run_rule(rule, sources[line], self.epsilon(rule, line), self.most)
                for line in self.lines(rule)
            }
            errors[rule] = divergences([fit.shares for fit in fits.values()], truth)
            errors[f"{rule}-passes"] = np.array([float(fit.iterations) for fit in fits.values()])
        return errors


def fused_evidence(mechanisms: Sequence[Mechanism], reports: Sequence[Reports]) -> Any:
    """The joint likelihood of the reports of users in one order."""
    return Fusion(align(mechanisms, reports)).observations


def run_rule(rule: str, observed: Any, epsilon: float, most: int = MOST_PASSES) -> Fit:
    """EM or EMS from uniform shares."""
    if rule == "smoothed":
        return ems(observed, tolerance=_STEP, max_iterations=most)
    tolerance = _STEP * math.exp(epsilon) if rule == "published" else epsilon
    return em(observed, tolerance=tolerance, max_iterations=most)


def divergences(found: Sequence[Floats], truth: Floats) -> Floats:
    """Jensen-Shannon, its square root, in natural units."""
    return metrics.jensen_shannon(np.array(found), truth)


def by_epsilon(
    datasets: Sequence[Numbers],
    repeats: int,
    sizes: Sizes,
    *,
    rules: tuple[str, ...] = _PRINTED,
    name: str = "full",
    epsilons: tuple[float, ...] = EPSILONS,
    **how: Any,
) -> Curves:
    """Figure 4 e to h: three mechanisms with one budget."""
    cells = [
        Fits(data, alike(THREE, epsilon), THREE, sizes.of(data.n), rules, sizes.most)
        for data in datasets
        for epsilon in epsilons
    ]
    told: Any = {"what": f"figure 4, {name}", "name": f"{name}-epsilon", "by": "epsilon"}
    return sweep(cells, repeats, xs=epsilons, **told, **how)


def by_setting(
    datasets: Sequence[Numbers],
    repeats: int,
    sizes: Sizes,
    *,
    rules: tuple[str, ...] = _PRINTED,
    name: str = "full",
    **how: Any,
) -> Curves:
    """Figure 5 e to h: the budgets C1 to C4."""
    cells = [
        Fits(data, kinds, THREE, sizes.of(data.n), rules, sizes.most)
        for data in datasets
        for kinds in SHARE_SETTINGS
    ]
    told: Any = {"what": f"figure 5, {name}", "name": f"{name}-setting", "by": "C"}
    return sweep(cells, repeats, xs=range(1, 1 + len(SHARE_SETTINGS)), **told, **how)


def by_mechanism(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 6 b: services of one mechanism with budgets 0.1 to 0.3; x is the mechanism's place."""
    names = tuple(f"{epsilon:g}" for epsilon in BUDGETS)
    kinds = [tuple((name, epsilon) for epsilon in BUDGETS) for name in THREE]
    cells = [Fits(data, each, names, sizes.middle, _PRINTED, sizes.most, None) for each in kinds]
    told: Any = {"what": "figure 6 b", "name": "same", "by": "mechanism"}
    return sweep(cells, repeats, xs=range(1, 1 + len(THREE)), **told, **how)


def by_count(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 7 b: 3 to 15 services with budget 0.1."""
    kinds = [alike(THREE, SMALL, count // len(THREE)) for count in COUNTS]
    cells = [Fits(data, each, THREE, sizes.middle, _PRINTED, sizes.most, None) for each in kinds]
    told: Any = {"what": "figure 7 b", "name": "count", "by": "services"}
    return sweep(cells, repeats, xs=COUNTS, **told, **how)


def by_people(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 7 d: by the number of people, budget 0.1."""
    kinds = alike(THREE, SMALL)
    cells = [Fits(data, kinds, THREE, people, _PRINTED, sizes.most) for people in sizes.many]
    told: Any = {"what": "figure 7 d", "name": "people", "by": "people"}
    return sweep(cells, repeats, xs=sizes.many, **told, **how)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The same reports, counted in many cells and in few."""

    data: Numbers
    people: int
    epsilon: float = 0.3

    def __str__(self) -> str:
        return f"{self.data.name}, {self.people}, {self.epsilon:g}"

    @cached_property
    def mechanisms(self) -> dict[str, tuple[Mechanism, ...]]:
        kinds = alike(THREE, self.epsilon)
        return {str(cells): made(kinds, cells) for cells in (_MANY_OUTPUTS, OUTPUTS)}

    def draw(self, source: Seeded) -> Errors:
        values = some_people(self.data, self.people, source.generator())
        truth = np.bincount(DOMAIN.indices(values), minlength=DOMAIN.bins) / self.people
        many, few = self.mechanisms.values()
        reports = [each.randomize(values, source=source) for each in many]
        same = [Reports(each, told.columns) for each, told in zip(few, reports, strict=True)]
        fits = [
            run_rule("printed", fused_evidence(mechanisms, told), self.epsilon)
            for mechanisms, told in ((many, reports), (few, same))
        ]
        return {"cells": divergences([fit.shares for fit in fits], truth)}


def _cells(cells: _Cells) -> Callable[[Seeded], Errors]:
    return cells.draw


def by_cells(datasets: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """ULE with reports in 256 cells and in 64, at epsilon 0.3."""
    cells = [_Cells(data, sizes.of(data.n)) for data in datasets]
    found = repeat(_cells, cells, repeats, what="cells of reports", **how)
    lines = tuple(cells[0].mechanisms) if cells else ()
    return {
        (data.name, "cells"): Curve(data.name, "cells", "cells", (1.0,), lines, e["cells"][None])
        for data, e in zip(datasets, found, strict=True)
    }

"""Means of several services: figures 4 to 8, their upper halves, and the bias of weights by reports.

A repeat is ``trials`` surveys of ``people`` each; its error is the mean over these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.experiments.draws import Errors
from sottovoce.experiments.fusion.services import (
    EPSILONS,
    FOUR,
    MEAN_SETTINGS,
    Kinds,
    alike,
    made,
)
from sottovoce.experiments.fusion.sizes import Sizes
from sottovoce.experiments.fusion.sweep import Curves, sweep
from sottovoce.experiments.fusion.values import some_people
from sottovoce.experiments.numbers import Numbers
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.parts import Part
from sottovoce.fusion.services import Fusion

__all__ = [
    "ALL_EPSILONS",
    "COUNTS",
    "FUSED",
    "Surveys",
    "bias",
    "by_count",
    "by_epsilon",
    "by_mechanism",
    "by_people",
    "by_setting",
]


FUSED = ("ua", "uwa", "population")
ALL_EPSILONS = (0.1, 0.2, 0.4, 0.6, 1.0, 2.0, 3.0, 4.0)
"""Of the bias."""
COUNTS = (4, 8, 12, 16)
SMALL = 0.1
"""The budget of every service where the number of services or people varies."""
BUDGETS = (0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True, eq=False)
class Surveys:
    """Services that all ask the same people, survey after survey."""

    data: Numbers
    kinds: Kinds
    names: tuple[str, ...]
    """What the services are called; if there are more of them, only these are lines of their own."""
    people: int
    trials: int

    def __str__(self) -> str:
        told = ", ".join(f"{name} {epsilon:g}" for name, epsilon in self.kinds)
        return f"{self.data.name}, {self.people}, {self.trials}: {told}"

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """One a service."""
        return made(self.kinds)

    @property
    def lines(self) -> tuple[str, ...]:
        """Single services, then the ways to fuse."""
        return (*self.names, *FUSED)

    @property
    def measures(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Mean square errors, mean errors, and how many intervals hold."""
        return ("mse", self.lines), ("error", self.lines), ("covered", FUSED)

    def draw(self, source: Seeded) -> Errors:
        """The mean square and the mean of the errors of some surveys, and how many intervals hold."""
        random, size = source.generator(), self.people * self.trials
        values = some_people(self.data, size, random)
        reports = [each.randomize(values, source=source) for each in self.mechanisms]
        truths = values.reshape(self.trials, self.people).mean(axis=1)
        errors = np.empty((self.trials, len(self.lines)))
        covered = np.empty((self.trials, len(FUSED)))
        whole = Fusion(align(self.mechanisms, reports))
        numbers = np.stack([one.numbers for one in whole.numbers[: len(self.names)]])
        for trial, truth in enumerate(truths):
            some = slice(trial * self.people, (trial + 1) * self.people)
            errors[trial, : len(self.names)] = numbers[:, some].mean(axis=1) - truth
            part = Part(whole, users=some)
            for place, method in enumerate(FUSED):
                found = part.mean(method)
                errors[trial, len(self.names) + place] = found.value - truth
                covered[trial, place] = found.low <= truth <= found.high
        return {
            "mse": (errors**2).mean(axis=0),
            "error": errors.mean(axis=0),
            "covered": covered.mean(axis=0),
        }


def by_epsilon(datasets: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 4 a to d: four mechanisms with one budget."""
    cells = [
        Surveys(data, alike(FOUR, epsilon), FOUR, sizes.people, sizes.trials)
        for data in datasets
        for epsilon in EPSILONS
    ]
    told: Any = {"what": "figure 4, means", "name": "epsilon", "by": "epsilon"}
    return sweep(cells, repeats, xs=EPSILONS, **told, **how)


def by_setting(datasets: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 5 a to d: the budgets A1 to A4."""
    cells = [
        Surveys(data, kinds, FOUR, sizes.people, sizes.trials)
        for data in datasets
        for kinds in MEAN_SETTINGS
    ]
    told: Any = {"what": "figure 5, means", "name": "setting", "by": "A"}
    return sweep(cells, repeats, xs=range(1, 1 + len(MEAN_SETTINGS)), **told, **how)


def by_mechanism(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 6 a: services of one mechanism with budgets 0.1 to 0.4; x is the mechanism's place."""
    told = tuple(f"{epsilon:g}" for epsilon in BUDGETS)
    cells = [
        Surveys(data, tuple((name, e) for e in BUDGETS), told, sizes.people, sizes.trials)
        for name in FOUR
    ]
    said: Any = {"what": "figure 6 a", "name": "same", "by": "mechanism"}
    return sweep(cells, repeats, xs=range(1, 1 + len(FOUR)), **said, **how)


def by_count(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 7 a: 4 to 16 services with budget 0.1."""
    cells = [
        Surveys(data, alike(FOUR, SMALL, m // len(FOUR)), FOUR, sizes.people, sizes.trials)
        for m in COUNTS
    ]
    told: Any = {"what": "figure 7 a", "name": "count", "by": "services"}
    return sweep(cells, repeats, xs=COUNTS, **told, **how)


def by_people(data: Numbers, repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """Figure 7 c: by the number of people, budget 0.1; one survey a repeat."""
    cells = [Surveys(data, alike(FOUR, SMALL), FOUR, people, 1) for people in sizes.many]
    told: Any = {"what": "figure 7 c", "name": "people", "by": "people"}
    return sweep(cells, repeats, xs=sizes.many, **told, **how)


def bias(datasets: Sequence[Numbers], repeats: int, sizes: Sizes, **how: Any) -> Curves:
    """How far the fused means are off on average, for budgets up to 4."""
    cells = [
        Surveys(data, alike(FOUR, epsilon), FOUR, sizes.people, sizes.trials)
        for data in datasets
        for epsilon in ALL_EPSILONS
    ]
    told: Any = {"what": "bias", "name": "bias", "by": "epsilon"}
    return sweep(cells, repeats, xs=ALL_EPSILONS, **told, **how)

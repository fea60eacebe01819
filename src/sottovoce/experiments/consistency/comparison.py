"""Our choices against the best published method in hindsight, and against what is possible.

A cell is a mechanism, a data set and an epsilon.  In each, all methods see the
same simulated tallies.  The rival is the one of Base, the ten post-processings and
Power-NS whose mean error in that cell is least: known only to one who knows the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce import metrics
from sottovoce.base.frame import Frame
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism
from sottovoce.domains.categories import Categories
from sottovoce.experiments import measures
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.consistency.methods import PUBLISHED, TITLES, answers_to
from sottovoce.experiments.consistency.oracle import oracle_shares
from sottovoce.experiments.consistency.sweep import errors_on_sets
from sottovoce.experiments.curves import Quotient, quotient
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.work import Workers, in_processes, seed_of

__all__ = [
    "CELL_EPSILONS",
    "TASKS",
    "Cell",
    "compare",
    "exchangeable_table",
    "readings",
    "summary",
    "top_table",
]

CELL_EPSILONS = (0.5, 1.0, 2.0)
TASKS = {"full": "full domain", "sets": "sets of 10%", "top": "true top 10"}
_OURS = {"full": "exchangeable", "sets": "exchangeable", "top": "auto"}
_SMALL = ("msnbc",)
_PERCENT = 10.0
_TOP = 10


@dataclass(frozen=True, eq=False)
class Cell:
    """Errors in one task, one array of repeats a method, ``auto`` and ``oracle`` among them."""

    mechanism: str
    dataset: str
    epsilon: float
    task: str
    errors: dict[str, Floats]

    @property
    def small(self) -> bool:
        """Whether there are so few values that the true histogram tells nearly everything."""
        return self.dataset in _SMALL

    @property
    def rivals(self) -> tuple[str, ...]:
        """All methods that ours is compared with; on the largest values exchangeable too."""
        published = (*PUBLISHED, "power-ns", *(("exchangeable",) if self.task == "top" else ()))
        return tuple(name for name in published if name in self.errors)

    @property
    def best(self) -> str:
        """The rival of least mean error."""
        return min(self.rivals, key=lambda name: float(self.errors[name].mean()))

    def over_best(self, name: str) -> Quotient:
        """The mean error of ``name`` over that of the best rival."""
        return quotient([self.errors[name]], [self.errors[self.best]])

    @property
    def over_paper(self) -> float:
        """The mean error of ours over the least among the paper's own methods."""
        theirs = [float(self.errors[name].mean()) for name in PUBLISHED if name in self.errors]
        return float(self.errors[_OURS[self.task]].mean()) / min(theirs)

    @property
    def ours(self) -> Quotient:
        """Ours over the best rival."""
        return self.over_best(_OURS[self.task])


@dataclass(frozen=True, eq=False)
class _Task:
    mechanism: str
    dataset: Dataset
    epsilon: float
    draws: int


def compare(
    mechanisms: Sequence[str],
    datasets: Sequence[Dataset],
    draws: int,
    *,
    epsilons: Sequence[float] = CELL_EPSILONS,
    progress: Progress = silent,
    workers: Workers = None,
) -> list[Cell]:
    """All cells, in every task."""
    tasks = [_Task(m, d, e, draws) for m in mechanisms for d in datasets for e in epsilons]
    found = in_processes(
        _run, tasks, what="against the best method", progress=progress, workers=workers
    )
    return [cell for cells in found for cell in cells]


def _run(task: _Task) -> list[Cell]:
    data, truth = task.dataset, task.dataset.shares
    oracle = mechanism(task.mechanism, Categories(data.size), task.epsilon)
    source = Seeded(seed_of("compare", task.mechanism, data.name, task.epsilon))
    rows: dict[str, list[Floats]] = {name: [] for name in TASKS}
    methods: tuple[str, ...] = ()
    for _ in range(task.draws):
        answers = answers_to(oracle.simulate(data.counts, source=source))
        possible = oracle_shares(answers.raw, truth)
        methods = (*answers.methods, "auto", "oracle")
        sets = errors_on_sets(answers, truth, (_PERCENT,), source)[0]
        size = measures.set_size(_PERCENT, data.size)
        everywhere = np.vstack([answers.single("distribution"), possible])
        rows["full"].append(metrics.mean_squared_error(everywhere, truth))
        rows["sets"].append(np.append(sets, metrics.subset_error(possible, truth, size)))
        top = np.vstack([answers.single("top"), possible])
        rows["top"].append(metrics.top_error(top, truth, _TOP))
    return [
        Cell(
            task.mechanism, data.name, task.epsilon, name,
            dict(zip(methods, np.array(errors).T, strict=True)),
        )
        for name, errors in rows.items()
    ]  # fmt: skip


def exchangeable_table(cells: Sequence[Cell]) -> Frame:
    """Exchangeable in every cell, on the full domain and on sets."""
    return _table([cell for cell in cells if cell.task != "top"], "exchangeable / best")


def top_table(cells: Sequence[Cell]) -> Frame:
    """``goal="top"`` in every cell, on the values that are truly the ten largest."""
    return _table([cell for cell in cells if cell.task == "top"], 'goal="top" / best')


def _table(cells: Sequence[Cell], ours: str) -> Frame:
    return Frame(
        {
            "mechanism": [cell.mechanism.upper() for cell in cells],
            "task": [TASKS[cell.task] for cell in cells],
            "data": [cell.dataset for cell in cells],
            "epsilon": [cell.epsilon for cell in cells],
            "best method": [TITLES[cell.best] for cell in cells],
            "its error": [float(cell.errors[cell.best].mean()) for cell in cells],
            ours: [round(cell.ours.value, 3) for cell in cells],
            "± s.e.": [round(cell.ours.stderr, 3) for cell in cells],
            "oracle / best": [round(cell.over_best("oracle").value, 3) for cell in cells],
        }
    )


def readings(cells: Sequence[Cell], mechanism_name: str, task: str) -> list[Reading]:
    """Ours over the best rival in every cell of a mechanism and a task."""
    return [
        Reading(f"{c.dataset}, epsilon {c.epsilon:g}: {c.best}", c.ours.value, c.ours.stderr)
        for c in cells
        if (c.mechanism, c.task) == (mechanism_name, task)
    ]


def summary(cells: Sequence[Cell]) -> Frame:
    """One row a mechanism and task: how often ours is near the best, and what is possible.

    The last column leaves Power-NS, which the paper does not have, out of the rivals.
    """
    kinds = list(dict.fromkeys((cell.mechanism, cell.task) for cell in cells))
    groups = [[c for c in cells if (c.mechanism, c.task) == kind] for kind in kinds]
    ours = [np.array([cell.ours.value for cell in group]) for group in groups]
    bound = [
        np.array([c.over_best("oracle").value for c in group if not c.small]) for group in groups
    ]
    return Frame(
        {
            "mechanism": [kind[0].upper() for kind in kinds],
            "task": [TASKS[kind[1]] for kind in kinds],
            "cells": [len(group) for group in groups],
            "within 5%": [int((ratio <= 1.05).sum()) for ratio in ours],
            "below 1": [int((ratio < 1).sum()) for ratio in ours],
            "mean": [round(float(ratio.mean()), 3) for ratio in ours],
            "largest": [round(float(ratio.max()), 3) for ratio in ours],
            "oracle mean": [round(float(ratio.mean()), 3) for ratio in bound],
            "mean, paper's only": [
                round(float(np.mean([cell.over_paper for cell in group])), 3) for group in groups
            ],
        }
    )

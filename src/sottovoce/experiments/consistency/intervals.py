"""How often 95% intervals hold the truth, for every method.

Each simulated survey gives every method one estimate with its error bars; the
shares of all values, of the ten truly largest, and the totals of random sets of 10%
are then compared with the truth.  Widths are relative to those of the unbiased shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.base.frame import Frame
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism
from sottovoce.domains.categories import Categories
from sottovoce.estimators import estimate
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.consistency.methods import OURS, PUBLISHED, TITLES
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.measures import set_size
from sottovoce.experiments.work import Workers, in_processes, seed_of

__all__ = ["QUESTIONS", "Coverage", "coverage", "coverage_readings", "coverage_table"]

QUESTIONS = ("shares", "top 10", "totals of 10%")
_EPSILON = 1.0
_SETS = 40
_CHUNK = 10
"""Surveys a task."""
_PERCENT = 10.0


@dataclass(frozen=True, eq=False)
class Coverage:
    """How much was held and how wide intervals were: a row a survey, a column a question."""

    dataset: str
    method: str
    held: Floats
    widths: Floats

    @property
    def rates(self) -> Floats:
        """How often the truth was in the interval, by question."""
        return np.asarray(self.held.mean(axis=0))

    @property
    def errors(self) -> Floats:
        """Standard errors of the rates: surveys are independent, answers of one survey are not."""
        return np.asarray(self.held.std(axis=0, ddof=1) / np.sqrt(len(self.held)))


@dataclass(frozen=True, eq=False)
class _Task:
    dataset: Dataset
    method: str
    surveys: range


def coverage(
    datasets: Sequence[Dataset],
    surveys: int,
    *,
    progress: Progress = silent,
    workers: Workers = None,
) -> list[Coverage]:
    """The coverage of every method on every data set, under OUE at epsilon 1."""
    methods = (*reversed(OURS), *PUBLISHED)  # the slowest first, for even work
    chunks = [range(start, min(start + _CHUNK, surveys)) for start in range(0, surveys, _CHUNK)]
    tasks = [_Task(d, method, chunk) for method in methods for d in datasets for chunk in chunks]
    parts = in_processes(_run, tasks, what="coverage", progress=progress, workers=workers)
    return [_merged(parts, d.name, name) for d in datasets for name in (*PUBLISHED, *OURS)]


def _merged(parts: Sequence[Coverage], dataset: str, method: str) -> Coverage:
    """All surveys of one data set and method."""
    own = [part for part in parts if (part.dataset, part.method) == (dataset, method)]
    held, widths = ([getattr(part, rows) for part in own] for rows in ("held", "widths"))
    return Coverage(dataset, method, np.concatenate(held), np.concatenate(widths))


def _run(task: _Task) -> Coverage:
    data, truth = task.dataset, task.dataset.shares
    oracle = mechanism("oue", Categories(data.size), _EPSILON)
    largest = np.argsort(-truth, kind="stable")[:10]
    held, widths = [], []
    for survey in task.surveys:  # the same surveys for every method
        source = Seeded(seed_of("coverage", data.name, survey))
        tally = oracle.simulate(data.counts, source=source)
        found = estimate(tally, task.method)
        frame, random = found.frame(), source.generator()
        low, high = np.array(frame["low"]), np.array(frame["high"])
        inside = (low <= truth) & (truth <= high)
        totals = _totals(found, truth, random)
        held.append([inside.mean(), inside[largest].mean(), totals[0]])
        widths.append([np.mean(high - low), np.mean((high - low)[largest]), totals[1]])
    return Coverage(data.name, task.method, np.array(held), np.array(widths))


def _totals(found: Estimate, truth: Floats, random: np.random.Generator) -> tuple[float, float]:
    """How often intervals of totals of random sets hold the truth, and their mean width."""
    held, width = 0, 0.0
    for _ in range(_SETS):
        chosen = random.choice(len(truth), set_size(_PERCENT, len(truth)), replace=False)
        weights = np.zeros(len(truth))
        weights[chosen] = 1.0
        answer = found.linear(weights)
        held += bool(answer.low <= truth @ weights <= answer.high)
        width += answer.high - answer.low
    return held / _SETS, width / _SETS


def coverage_table(found: Sequence[Coverage]) -> Frame:
    """One row a data set and method."""
    base = {c.dataset: c.widths.mean(axis=0) for c in found if c.method == "unbiased"}
    columns: dict[str, list[object]] = {
        "data": [c.dataset for c in found],
        "method": [TITLES[c.method] for c in found],
    }
    for i, question in enumerate(QUESTIONS):
        columns[question] = [f"{c.rates[i]:.1%} ± {c.errors[i]:.1%}" for c in found]
    for i, question in enumerate(QUESTIONS):
        columns[f"width: {question}"] = [
            f"{c.widths.mean(axis=0)[i] / base[c.dataset][i]:.2f}" for c in found
        ]
    return Frame(columns)


def coverage_readings(found: Sequence[Coverage], question: int) -> list[Reading]:
    """The rates of one question, as readings for a claim."""
    return [
        Reading(f"{c.dataset}: {c.method}", float(c.rates[question]), float(c.errors[question]))
        for c in found
    ]

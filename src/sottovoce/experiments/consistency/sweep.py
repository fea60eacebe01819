"""All the paper's curves from one set of simulated surveys.

Every method sees the same tallies.  A tally at one epsilon serves every measure:
the full domain, sets of 5%, the ten largest values, fixed groups; at epsilon 1 also
sets of all sizes and other numbers of largest values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce import metrics
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.categories import Categories
from sottovoce.experiments import measures
from sottovoce.experiments.consistency.methods import AUTO, OURS, PUBLISHED, Answers, answers_to
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.work import Workers, in_processes, seed_of

__all__ = ["EPSILONS", "METHODS", "PERCENTS", "TOPS", "errors_on_sets", "sweep"]

EPSILONS = tuple(round(0.2 * i, 1) for i in range(1, 11))
PERCENTS = (*map(float, range(1, 11)), *map(float, range(20, 100, 10)))
TOPS = tuple(map(float, range(2, 33, 2)))
METHODS = (*PUBLISHED, *OURS, AUTO)
_WIDE = 1.0
"""The epsilon at which set sizes and numbers of largest values vary."""


@dataclass(frozen=True, eq=False)
class _Task:
    dataset: Dataset
    epsilon: float
    repeats: int


def sweep(
    datasets: Sequence[Dataset],
    repeats: int,
    *,
    progress: Progress = silent,
    workers: Workers = None,
) -> dict[tuple[str, str], Curve]:
    """The curves of every data set, by (data set, measure)."""
    tasks = [_Task(dataset, epsilon, repeats) for dataset in datasets for epsilon in EPSILONS]
    results = in_processes(_run, tasks, what="figures", progress=progress, workers=workers)
    curves: dict[tuple[str, str], Curve] = {}
    for dataset in datasets:
        at = {t.epsilon: r for t, r in zip(tasks, results, strict=True) if t.dataset is dataset}
        for measure in at[EPSILONS[0]]:  # one number a tally: a curve along epsilon
            values = np.array([at[epsilon][measure][0] for epsilon in EPSILONS])
            curve = Curve(dataset.name, measure, "epsilon", EPSILONS, METHODS, values)
            curves[dataset.name, measure] = curve
        for measure, by, xs in (("sets", "percent", PERCENTS), ("top", "k", TOPS)):
            values = at[_WIDE][measure]
            curves[dataset.name, measure] = Curve(dataset.name, measure, by, xs, METHODS, values)
    return curves


def _run(task: _Task) -> dict[str, Floats]:
    """Errors by measure, ``[x, method, repeat]``."""
    data, size = task.dataset, task.dataset.size
    oracle = mechanism("oue", Categories(size), task.epsilon)
    source = Seeded(seed_of("sweep", data.name, task.epsilon))
    rows: dict[str, list[Floats]] = {}
    for _ in range(task.repeats):
        tally = oracle.simulate(data.counts, source=source)
        for measure, errors in _errors(data, tally, task.epsilon == _WIDE, source).items():
            rows.setdefault(measure, []).append(errors)
    return {measure: np.stack(errors, axis=-1) for measure, errors in rows.items()}


def _errors(data: Dataset, tally: Tally, wide: bool, source: Seeded) -> dict[str, Floats]:
    """Errors by measure, ``[x, method]``."""
    answers, truth = answers_to(tally), data.shares
    everywhere, top = answers.single("distribution"), answers.single("top")
    found = {
        "mse": metrics.mean_squared_error(everywhere, truth)[None],
        "mae": metrics.mean_absolute_error(everywhere, truth)[None],
        "sets-5": errors_on_sets(answers, truth, (5.0,), source),
        "top-10": metrics.top_error(top, truth, 10)[None],
    }
    totals = answers.rows("subset")
    for name, groups in data.groups.items():
        errors = metrics.group_error(totals, truth, groups)
        row = answers.clipped
        errors[row] = metrics.group_error(totals[row], truth, groups, clip=True)
        found[name] = errors[None]
    if wide:
        found["sets"] = errors_on_sets(answers, truth, PERCENTS, source)
        found["top"] = np.array([metrics.top_error(top, truth, int(k)) for k in TOPS])
    return found


def errors_on_sets(
    answers: Answers, truth: Floats, percents: Sequence[float], source: Seeded
) -> Floats:
    """Mean squared errors of totals of random sets, ``[percent, method]``."""
    rows, sizes = answers.rows("subset"), [measures.set_size(p, len(truth)) for p in percents]
    errors = np.array([metrics.subset_error(rows, truth, size) for size in sizes])
    row, random = answers.clipped, source.generator()
    errors[:, row] += measures.clipping_gain(rows[row], truth, sizes, random)
    return errors

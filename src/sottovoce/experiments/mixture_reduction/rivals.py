"""``exchangeable`` beside its rivals: populations of every kind, in random order, at fixed settings.

The settings are 300 values of 300,000 people and 60 values of 43,386, as in the paper, and 17
and 100 values.  All methods see the same tallies.  Beyond randomized response, methods that climb
the likelihood are slow, and repeated less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sottovoce import metrics
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism
from sottovoce.domains.categories import Categories
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.draws import Errors, repeat, shares_of
from sottovoce.experiments.mixture_reduction.populations import SIZES, load, names
from sottovoce.experiments.work import Workers

__all__ = ["MEASURES", "QUICK", "SETTINGS", "SLOW", "rivals"]

Curves = dict[tuple[str, str], Curve]

QUICK = ("exchangeable", "power-ns", "norm-sub")
SLOW = ("exchangeable", "mr", "em", "mle")
MEASURES = ("mse", "mae", "top-mse", "top-mae")
"""Squared and absolute errors of all shares, and of the tenth that is truly the most frequent."""
SETTINGS: dict[int, dict[str, tuple[float, ...]]] = {
    300: {"grr": (1.0,), "olh": (0.5, 1.0), "oue": (1.0,)},
    100: {"grr": (0.5, 1.0, 2.0), "olh": (0.5, 1.0, 2.0)},
    60: {"grr": (1.5,), "olh": (0.5, 1.0), "oue": (1.0,)},
    17: {"grr": (1.0,), "olh": (1.0,)},
}
"""Epsilons, by the number of values and the oracle."""
_FEWER = 10
"""How many times less often slow methods are repeated."""


@dataclass(frozen=True, eq=False)
class _Survey:
    data: Dataset
    oracle: str
    epsilon: float
    methods: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.data.name}, {self.oracle}, {self.epsilon:g}, {len(self.methods)}"

    def errors(self, source: Seeded) -> Errors:
        """All errors of one drawing, by measure, one a method."""
        oracle = mechanism(self.oracle, Categories(self.data.size), self.epsilon)
        tally = oracle.simulate(self.data.counts, source=source)
        rows = np.array([shares_of(tally, method) for method in self.methods])
        truth = self.data.shares
        top = np.argsort(-truth, kind="stable")[: max(1, len(truth) // 10)]
        return _measured(rows, truth, "") | _measured(rows[:, top], truth[top], "top-")


def _measured(rows: Floats, truth: Floats, name: str) -> Errors:
    true = np.broadcast_to(truth, rows.shape)
    return {
        f"{name}mse": metrics.mean_squared_error(rows, true),
        f"{name}mae": metrics.mean_absolute_error(rows, true),
    }


def rivals(
    repeats: int,
    *,
    progress: Progress = silent,
    workers: Workers = None,
    data: Path | None = None,
    wanted: Sequence[str] = (),
) -> tuple[Curves, list[str]]:
    """Curves by (population, oracle and measure), and populations that cannot be had.

    ``wanted`` are populations by name, by default all.  Curves of slow methods that were
    repeated less have "slow" in their name, and ours in it too.
    """
    datasets, skipped = load(wanted or names(), data)
    curves: Curves = {}
    for survey in [_Kind(d, oracle) for d in datasets for oracle in SETTINGS[SIZES[d.name]]]:
        for name, methods, count in survey.parts(repeats):
            cells = [_Survey(survey.data, survey.oracle, e, methods) for e in survey.epsilons]
            what = f"rivals: {survey.data.name}, {survey.oracle.upper()}"
            found = repeat(_drawing, cells, count, what=what, progress=progress, workers=workers)
            for measure in MEASURES:
                values = np.stack([errors[measure] for errors in found])
                key = survey.data.name, f"{survey.oracle}-{name}{measure}"
                curves[key] = Curve(*key, "epsilon", survey.epsilons, methods, values)
    return curves, skipped


@dataclass(frozen=True, eq=False)
class _Kind:
    data: Dataset
    oracle: str

    @property
    def epsilons(self) -> tuple[float, ...]:
        return SETTINGS[SIZES[self.data.name]][self.oracle]

    def parts(self, repeats: int) -> list[tuple[str, tuple[str, ...], int]]:
        """Names in front of measures, methods, and how often these are repeated."""
        if self.oracle == "grr":
            return [("", (*QUICK, *SLOW[1:]), repeats)]
        return [("", QUICK, repeats), ("slow-", SLOW, max(2, repeats // _FEWER))]


def _drawing(survey: _Survey) -> Callable[[Seeded], Errors]:
    return survey.errors

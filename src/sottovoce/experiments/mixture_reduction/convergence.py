"""Figure 6 and table II: how errors fall pass by pass, and how long methods take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.progress import Progress, silent
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.estimators import estimate
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.mixture_reduction.frequencies import Survey
from sottovoce.experiments.mixture_reduction.methods import estimate_by
from sottovoce.experiments.mixture_reduction.values import BINS
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.work import seed_of

__all__ = ["COUNTED", "PAPER_SECONDS", "PASSES", "PATH", "PATH_EPSILONS", "TIMED_EPSILONS", "paper_seconds", "paths", "seconds"]  # fmt: skip

Curves = dict[tuple[str, str], Curve]

PASSES = (1, 3, 10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000)
PATH_EPSILONS = (0.75, 3.0)
PATH = ("em", "mr", "mr-initial")
"""EM after so many passes; reductions when they have ended, whatever the place along the curve."""
COUNTED = PATH
_PRINTED = (0.75, 1.0, 2.0, 3.0)
TIMED_EPSILONS = _PRINTED
_ROUNDS = 2

PAPER_SECONDS = {
    43_386: {
        "grr-em": (19, 12, 9, 6), "grr-mr": (10, 5, 4, 4),
        "olh-em": (765, 502, 115, 58), "olh-mr": (311, 204, 83, 37),
        "laplace-em": (2317, 931, 416, 125), "laplace-mr": (1156, 665, 306, 90),
    },
    300_000: {
        "grr-em": (23, 17, 12, 7), "grr-mr": (11, 8, 5, 4),
        "olh-em": (15_684, 6482, 1126, 154), "olh-mr": (2837, 1697, 279, 67),
        "laplace-em": (12_317, 8152, 2516, 823), "laplace-mr": (5457, 3003, 1026, 412),
    },
}  # fmt: skip
"""The paper's table II, by the number of people and the line; a number an epsilon."""


def paper_seconds(people: int, line: str, epsilon: float) -> float:
    """What table II prints."""
    return float(PAPER_SECONDS[people][line][_PRINTED.index(epsilon)])


# -- figure 6 ------------------------------------------------------------------------------


def paths(datasets: Sequence[Dataset], repeats: int, **how: Any) -> Curves:
    """OLH: errors of EM by the number of passes beside those of reductions, and all their passes."""
    cells = [Survey(data, "olh", epsilon) for data in datasets for epsilon in PATH_EPSILONS]
    errors = iter(repeat(_path, cells, repeats, what="figure 6", **how))
    curves: Curves = {}
    for data in datasets:
        found = {epsilon: next(errors) for epsilon in PATH_EPSILONS}
        for epsilon, of in found.items():
            name = f"path-{epsilon:g}"
            places = tuple(map(float, PASSES))
            curves[data.name, name] = Curve(data.name, name, "passes", places, PATH, of["mae"])
        counted = np.stack([of["passes"] for of in found.values()])
        curves[data.name, "passes"] = Curve(
            data.name, "passes", "epsilon", PATH_EPSILONS, COUNTED, counted
        )
    return curves


def _path(survey: Survey) -> Callable[[Seeded], Errors]:
    truth = survey.data.shares

    def draw(source: Seeded) -> Errors:
        tally = survey.mechanism.simulate(survey.data.counts, source=source)
        ended = [estimate_by(tally, line) for line in COUNTED]
        last = [metrics.mean_absolute_error(e.require_shares("an error"), truth) for e in ended]
        rows = [[metrics.mean_absolute_error(s, truth), *last[1:]] for s in _along(tally)]
        return {
            "mae": np.array(rows, dtype=np.float64),
            "passes": np.array([e.iterations for e in ended], dtype=np.float64),
        }

    return draw


def _along(tally: Tally) -> list[Floats]:
    """The shares after each number of passes."""
    found, done, start = [], 0, None
    for passes in PASSES:
        e = estimate(tally, "em", max_iterations=passes - done, tolerance=0.0, start=start)
        start, done = e.require_shares("an error"), passes
        found.append(start)
    return found


# -- table II ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Timed:
    """A tally to be timed."""

    line: str
    tally: Tally


def seconds(
    categories: Sequence[Dataset], numbers: Numbers, *, progress: Progress = silent
) -> Curves:
    """Seconds of EM and MR on one core at a time: a curve a set, each at every epsilon of table II.

    Run here and not in other processes, which would disturb each other.
    """
    curves: Curves = {}
    for i, data in enumerate(categories):
        rows = []
        for j, epsilon in enumerate(TIMED_EPSILONS):
            progress("table II", (i + j / len(TIMED_EPSILONS)) / len(categories))
            rows.append([_rounds(t) for t in _timed(data, numbers, epsilon)])
        lines = tuple(PAPER_SECONDS[data.n])
        curves[data.name, "seconds"] = Curve(
            data.name, "seconds", "epsilon", TIMED_EPSILONS, lines, np.array(rows)
        )
    progress("table II", 1.0)
    return curves


def _timed(data: Dataset, numbers: Numbers, epsilon: float) -> list[Timed]:
    source = Seeded(seed_of("table II", data.name, epsilon))
    tallies = {
        oracle: Survey(data, oracle, epsilon).mechanism.simulate(data.counts, source=source)
        for oracle in ("grr", "olh")
    }
    counts = source.generator().multivariate_hypergeometric(numbers.counts(BINS), data.n)
    laplace = mechanism("laplace", Interval(0, 1, bins=BINS), epsilon)
    tallies["laplace"] = laplace.simulate(counts, source=source)
    return [Timed(line, tallies[line.partition("-")[0]]) for line in PAPER_SECONDS[data.n]]


def _rounds(timed: Timed) -> list[float]:
    """Seconds of each round, after a short run that compiles what is to be compiled."""
    method = timed.line.partition("-")[2]
    estimate(timed.tally, "em", max_iterations=1)
    spent = []
    for _ in range(_ROUNDS):
        begun = perf_counter()
        estimate_by(timed.tally, method)
        spent.append(perf_counter() - begun)
    return spent

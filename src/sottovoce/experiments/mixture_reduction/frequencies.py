"""Figures 4, 7 and 8: shares of values without order, by randomized response and local hashing.

Methods see the same tallies.  Errors are over the whole domain, and on the tenth of the values
that is truly the most frequent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.mixture_reduction.categories import UNIFORM
from sottovoce.experiments.mixture_reduction.methods import estimate_by, left_over, shares_by

__all__ = [
    "BIASED",
    "EPSILONS",
    "FEW_EPSILONS",
    "LINES",
    "MANY",
    "MEASURES",
    "MIDDLE",
    "ORACLES",
    "PREDICTED",
    "TOLD",
    "UNIFORM_LINES",
    "Survey",
    "epsilons_of",
    "frequencies",
]

Curves = dict[tuple[str, str], Curve]

ORACLES = ("grr", "olh")
EPSILONS = (0.5, 1.0, 2.0)
"""Those of figure 4."""
FEW_EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""With few values, which are quick, one more."""
MIDDLE = 1.0
"""The epsilon of bias curves, and of reductions that are told which values are frequent."""
LINES = (
    "unbiased", "norm-sub", "norm-cut", "iiw", "em", "em-cut", "mle", "mr",
    "exchangeable",
)  # fmt: skip
UNIFORM_LINES = (
    "unbiased", "norm-sub", "norm-cut", "iiw", "em", "mle", "mr-smallest", "ems",
    "exchangeable",
)  # fmt: skip
"""Where all values are alike they may as well be in order: EMS averages neighbours."""
BIASED = ("unbiased", "em", "mle", "mr")
"""Lines of figure 8."""
MEASURES = ("mae", "top", "mse")
PREDICTED = ("mr", "predicted", "part")
"""Measured error, what proposition 1 predicts, and its first term."""
TOLD = ("em", "mr", "mr-told")
_FIRST = {"grr": 10, "olh": 30}
"""How many of the truly most frequent values the authors' program never merges."""
MANY = 100
"""Local hashing over so many values or more is slow, and repeated less."""


@dataclass(frozen=True, eq=False)
class Survey:
    """One oracle on a set of values at an epsilon."""

    data: Dataset
    oracle: str
    epsilon: float

    def __str__(self) -> str:
        return f"{self.data.name}, {self.oracle}, {self.epsilon:g}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The methods; EM cut short is measured where the authors' program cuts it."""
        if self.data.name == UNIFORM:
            return UNIFORM_LINES
        return tuple(line for line in LINES if line != "em-cut" or self.oracle == "grr")

    @property
    def reduction(self) -> str:
        """The line of the reduction: of values in order it must be asked to take the smallest."""
        return "mr-smallest" if self.data.name == UNIFORM else "mr"

    @cached_property
    def mechanism(self) -> Mechanism:
        """The oracle."""
        size = self.data.size
        domain: Domain = Categories(size)
        if self.data.name == UNIFORM:
            domain = Interval(0, 1, bins=size)
        return mechanism(self.oracle, domain, self.epsilon)

    def draw(self, source: Seeded) -> Errors:
        """All errors of one drawing, by measure."""
        truth = self.data.shares
        tally = self.mechanism.simulate(self.data.counts, source=source)
        found = shares_by(tally, self.lines)
        shares = {line: e.require_shares("an error") for line, e in found.items()}
        rows = np.array([shares[line] for line in self.lines])
        largest = np.argsort(-truth, kind="stable")
        top = largest[: max(1, len(truth) // 10)]
        errors: Errors = {
            "mae": metrics.mean_absolute_error(rows, truth),
            "mse": metrics.mean_squared_error(rows, truth),
            "top": metrics.mean_absolute_error(
                rows[:, top], np.broadcast_to(truth[top], rows[:, top].shape)
            ),
        }
        mse = dict(zip(self.lines, errors["mse"], strict=True))
        parts = left_over(found[self.reduction], truth)
        first = parts["kept"] * mse["em"]
        errors["proposition"] = np.array([mse[self.reduction], first + parts["spread"], first])
        if self.epsilon == MIDDLE and self.data.name != UNIFORM:
            told = estimate_by(tally, "mr", protect=largest[: _FIRST[self.oracle]].tolist())
            trio = [shares["em"], shares["mr"], told.require_shares("an error")]
            errors["told"] = metrics.mean_absolute_error(np.array(trio), truth)
            errors["ranks"] = np.array([shares[line][largest] for line in BIASED]).T
        return errors


def epsilons_of(data: Dataset) -> tuple[float, ...]:
    """Those at which a set is measured."""
    return EPSILONS if data.size > MANY else FEW_EPSILONS


def frequencies(datasets: Sequence[Dataset], repeats: int, few: int, **how: Any) -> Curves:
    """The curves of every data set, by (data set, oracle and measure)."""
    curves: Curves = {}
    for oracle in ORACLES:
        for data in datasets:
            cells = [Survey(data, oracle, epsilon) for epsilon in epsilons_of(data)]
            count = few if oracle == "olh" and data.size >= MANY else repeats
            what = f"figures 4, 7, 8: {data.name}, {oracle.upper()}"
            curves |= _of_set(data, oracle, repeat(_drawing, cells, count, what=what, **how))
    return curves


def _of_set(data: Dataset, oracle: str, found: Sequence[Errors]) -> Curves:
    lines, epsilons = Survey(data, oracle, MIDDLE).lines, epsilons_of(data)
    curves: Curves = {}

    def add(measure: str, by: str, xs: tuple[float, ...], of: tuple[str, ...], values: Any) -> None:
        name = f"{oracle}-{measure}"
        curves[data.name, name] = Curve(data.name, name, by, xs, of, values)

    for measure in MEASURES:
        add(measure, "epsilon", epsilons, lines, np.stack([errors[measure] for errors in found]))
    parts = np.stack([errors["proposition"] for errors in found])
    add("proposition", "epsilon", epsilons, PREDICTED, parts)
    middle = found[epsilons.index(MIDDLE)]
    if "told" in middle:
        add("told", "epsilon", (MIDDLE,), TOLD, middle["told"][np.newaxis])
        ranks = tuple(map(float, range(1, data.size + 1)))
        add("ranks", "rank", ranks, BIASED, middle["ranks"])
    return curves


def _drawing(survey: Survey) -> Callable[[Seeded], Errors]:
    return survey.draw

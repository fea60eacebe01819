"""Figure 10: means of the numbers of every key, by formula, EM and mixture reduction.

Squared errors are on a scale from -1 to 1, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.estimators import estimate
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.mixture_reduction.pairs import Pairs

__all__ = ["EPSILONS", "LINES", "MECHANISMS", "MIDDLE", "TITLES", "Collection", "conditional"]

Curves = dict[tuple[str, str], Curve]

EPSILONS = (0.25, 0.5, 1.0, 2.0)
MECHANISMS: dict[str, tuple[str, dict[str, str]]] = {
    "ue": ("pckv-ue", {}),
    "grr": ("pckv-grr", {}),
    "pm": ("pckv-pm", {}),
    "grr-pm": ("key-value", {"keys": "response", "numbers": "piecewise"}),
}
MIDDLE = "middle"
_FITS = ("pm",)
LINES = (*MECHANISMS, *(f"{name}-{fit}" for name in _FITS for fit in ("em", "mr")), MIDDLE)
"""Mechanisms by their formulas, PCKV-PM also by fits; and a guess that needs no reports."""
TITLES = {
    "ue": "PCKV-UE", "grr": "PCKV-GRR", "pm": "PCKV-PM, formula", "grr-pm": "PCKV-GRR with PM, formula",
    "pm-em": "PCKV-PM, EM", "pm-mr": "PCKV-PM, MR", MIDDLE: "the middle of the range",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Collection:
    """All key-value mechanisms on a set of pairs at an epsilon."""

    data: Pairs
    epsilon: float

    def __str__(self) -> str:
        return f"{self.data.name}, {self.epsilon:g}"

    @cached_property
    def mechanisms(self) -> dict[str, Mechanism]:
        """Each by its line."""
        return {
            line: mechanism(name, self.data.domain, self.epsilon, **options)
            for line, (name, options) in MECHANISMS.items()
        }

    def draw(self, source: Seeded) -> Errors:
        """The squared error of the mean of every key, ``[key, line]``, and of its frequency."""
        found: dict[str, Estimate] = {}
        for line, made in self.mechanisms.items():
            tally = made.simulate(self.data.counts.ravel(), source=source)
            found[line] = estimate(tally, "unbiased")
            if line in _FITS:
                found |= {f"{line}-{fit}": estimate(tally, fit) for fit in ("em", "mr")}
        told = [self._told(found[line]) for line in LINES[:-1]]
        means = np.array([mean for mean, _ in told] + [np.zeros(self.data.size)])
        shares = np.array([frequency for _, frequency in told])
        return {
            "means": (means.T - self.data.means[:, np.newaxis]) ** 2,
            "frequencies": np.mean((shares - self.data.frequencies) ** 2, axis=1),
        }

    def _told(self, found: Estimate) -> tuple[Floats, Floats]:
        """The mean of every key's numbers, from -1 to 1, and the share of people who hold it.

        A key that nobody seems to hold has its mean in the middle.
        """
        sums, held = np.zeros(self.data.size), np.zeros(self.data.size)
        for key in range(self.data.size):
            weights = np.zeros(self.data.counts.shape)
            weights[key] = 1.0
            held[key] = found.value_of(weights.ravel())
            weights[key] = self.data.middles
            sums[key] = found.value_of(weights.ravel())
        means = np.divide(sums, held, out=np.zeros_like(sums), where=held > 0)
        return np.clip(means, -1, 1), held


def conditional(datasets: Sequence[Pairs], repeats: int, **how: Any) -> Curves:
    """Errors over all keys by epsilon, and at every epsilon by key, the rarest first."""
    cells = [Collection(data, epsilon) for data in datasets for epsilon in EPSILONS]
    errors = iter(repeat(_drawing, cells, repeats, what="figure 10", **how))
    curves: Curves = {}
    for data in datasets:
        found = [next(errors) for _ in EPSILONS]
        curves |= _of_set(data, found)
    return curves


def _of_set(data: Pairs, found: Sequence[Errors]) -> Curves:
    name, curves = data.name, {}
    means = np.stack([errors["means"].mean(axis=0) for errors in found])
    curves[name, "means"] = Curve(name, "means", "epsilon", EPSILONS, LINES, means)
    shares = np.stack([errors["frequencies"] for errors in found])
    curves[name, "frequencies"] = Curve(
        name, "frequencies", "epsilon", EPSILONS, LINES[:-1], shares
    )
    order = np.argsort(data.frequencies, kind="stable")
    places = tuple((100 * data.frequencies[order]).round(3).tolist())
    for epsilon, errors in zip(EPSILONS, found, strict=True):
        measure = f"keys-{epsilon:g}"
        curves[name, measure] = Curve(
            name, measure, "percent of people", places, LINES, errors["means"][order]
        )
    return curves


def _drawing(collection: Collection) -> Callable[[Seeded], Errors]:
    return collection.draw

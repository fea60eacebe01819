"""Figures 5 and 9: distributions of numbers, by epsilon and by the number of people.

All distances are on [0, 1].  Adaptive smoothing is a hundred times slower than the others, and
measured on drawings of its own, of which there are fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.interval import Interval
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.mixture_reduction.methods import shares_by
from sottovoce.experiments.mixture_reduction.values import BINS
from sottovoce.experiments.numbers import Numbers

__all__ = [
    "ADAPTIVE",
    "EPSILONS",
    "LINES",
    "MEASURES",
    "MECHANISMS",
    "SIZES",
    "SIZE_MECHANISMS",
    "Sample",
    "by_epsilon",
    "by_size",
]

Curves = dict[tuple[str, str], Curve]

MECHANISMS = ("laplace", "pm", "sw")
SIZE_MECHANISMS = ("pm", "sw")
EPSILONS = (0.5, 1.0, 2.0)
SIZES = (1_000, 10_000, 100_000, 300_000)
LINES = ("em", "mr", "ems", "mle")
ADAPTIVE = ("em", "mr", "ems", "adaptive")
MEASURES = ("wasserstein", "variance", "range", "quantiles", "heights")
"""``heights`` is what the authors' program measures in place of the Wasserstein distance."""
_SOME = 10_000
"""People of S-MN in figure 5."""
_WIDTH = 0.1
_MIDDLE = 1.0


@dataclass(frozen=True, eq=False)
class Sample:
    """Some people of a set, or all, and a mechanism for their numbers."""

    data: Numbers
    name: str
    epsilon: float
    people: int
    lines: tuple[str, ...] = LINES

    def __str__(self) -> str:
        told = (self.data.name, self.name, f"{self.epsilon:g}", str(self.people), *self.lines)
        return ", ".join(told)

    @cached_property
    def mechanism(self) -> Mechanism:
        """On [0, 1] in the paper's bins."""
        return mechanism(self.name, Interval(0, 1, bins=BINS), self.epsilon)

    def draw(self, source: Seeded) -> Errors:
        """All errors of one drawing, by measure."""
        counts = self.data.counts(BINS)
        if self.people < self.data.n:
            counts = source.generator().multivariate_hypergeometric(counts, self.people)
        truth = counts / self.people
        found = shares_by(self.mechanism.simulate(counts, source=source), self.lines)
        rows = np.array([e.require_shares("an error") for e in found.values()])
        return {
            "wasserstein": metrics.wasserstein(rows, truth),
            "variance": metrics.variance_error(rows, truth),
            "range": metrics.range_error(rows, truth, _WIDTH),
            "quantiles": metrics.quantile_error(rows, truth),
            "heights": _heights(rows, truth),
        }


def _heights(rows: Floats, truth: Floats) -> Floats:
    """The mean distance of sorted shares: 0 for every order of the true ones."""
    apart: Floats = np.abs(np.sort(rows, axis=1) - np.sort(truth)).mean(axis=1)
    return apart


def by_epsilon(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """Figure 5: all mechanisms, 10,000 people of S-MN and all of the others."""
    curves: Curves = {}
    cells = [
        Sample(data, name, epsilon, _SOME if data.name == "s-mn" else data.n)
        for data in datasets
        for name in MECHANISMS
        for epsilon in EPSILONS
    ]
    errors = iter(repeat(_drawing, cells, repeats, what="figure 5", **how))
    for data in datasets:
        for name in MECHANISMS:
            found = [next(errors) for _ in EPSILONS]
            curves |= _curves(data.name, f"{name}-", LINES, found, epsilon=EPSILONS)
    return curves


def by_size(data: Numbers, repeats: int, few: int, **how: Any) -> Curves:
    """Figure 9: S-MN by the number of people, and adaptive smoothing on fewer drawings."""
    curves: Curves = {}
    sizes = tuple(map(float, SIZES))
    for lines, prefix, count in ((LINES, "size", repeats), (ADAPTIVE, "adaptive", few)):
        cells = [Sample(data, name, _MIDDLE, n, lines) for name in SIZE_MECHANISMS for n in SIZES]
        errors = iter(repeat(_drawing, cells, count, what=f"figure 9, {prefix}", **how))
        for name in SIZE_MECHANISMS:
            found = [next(errors) for _ in SIZES]
            curves |= _curves(data.name, f"{name}-{prefix}-", lines, found, people=sizes)
    return curves


def _curves(
    dataset: str,
    prefix: str,
    lines: tuple[str, ...],
    found: Sequence[Errors],
    **along: tuple[float, ...],
) -> Curves:
    """A curve a measure; ``along`` names what varies, and its places."""
    ((by, xs),) = along.items()
    curves = {}
    for measure in MEASURES:
        name = prefix + measure
        values = np.stack([errors[measure] for errors in found])
        curves[dataset, name] = Curve(dataset, name, by, xs, lines, values)
    return curves


def _drawing(sample: Sample) -> Callable[[Seeded], Errors]:
    return sample.draw

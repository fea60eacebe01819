"""Figures 2 and 3: the mean from SR, PM, SW and Laplace, by plain average and from distributions.

Numbers are on [-1, 1] in the paper's bins, and errors are told with their sign, estimate minus
truth: their size makes figure 2, themselves figure 3.  A line is a mechanism and what is made of its
reports: nothing more for the plain average, ``clipped`` for the average brought into [-1, 1],
``bounded`` for ``bounded-mean``.  Lines on one mechanism see the same tally.

Adaptive smoothing takes a hundred times as long as the others, and is measured on drawings of its own,
of which there are fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.estimators import estimate
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.mixture_reduction.values import BINS
from sottovoce.experiments.numbers import Numbers

__all__ = [
    "ADAPTIVE", "EPSILONS", "FEWEST", "LINES", "TITLES", "Panel", "absolute", "means", "panels_of",
]  # fmt: skip

Curves = dict[tuple[str, str], Curve]

EPSILONS = (0.1, 0.5, 1.0, 1.5, 2.0, 3.0)
FEWEST = (2_000, 10_000)
"""People of S-MN, besides all of them."""
LINES = (
    "sr", "pm", "laplace", "sr-clipped", "pm-clipped", "sr-bounded", "pm-bounded",
    "pm-em", "pm-ems", "pm-mle", "pm-mr", "sw-em", "sw-ems", "sw-mle", "sw-mr",
    "laplace-em", "laplace-mr",
)  # fmt: skip
ADAPTIVE = ("pm", "pm-em", "pm-mr", "pm-adaptive", "sw", "sw-adaptive")
TITLES = {
    "": "plain average", "clipped": "clipped", "bounded": "within bounds (ours)", "em": "EM",
    "ems": "EMS", "mle": "exact MLE", "mr": "MR", "adaptive": "adaptive (ours)",
}  # fmt: skip
"""What is made of reports."""
_LOW, _HIGH = -1.0, 1.0


@dataclass(frozen=True, eq=False)
class Panel:
    """So many people of a set, at an epsilon."""

    data: Numbers
    people: int
    epsilon: float
    lines: tuple[str, ...] = LINES

    def __str__(self) -> str:
        told = (self.data.name, str(self.people), f"{self.epsilon:g}", *self.lines)
        return ", ".join(told)

    @cached_property
    def mechanisms(self) -> dict[str, Mechanism]:
        """Each by its name."""
        names = dict.fromkeys(line.partition("-")[0] for line in self.lines)
        return {n: mechanism(n, Interval(_LOW, _HIGH, bins=BINS), self.epsilon) for n in names}

    def draw(self, source: Seeded) -> Errors:
        """Estimate minus truth, a line each."""
        counts = self.data.counts(BINS)
        if self.people < self.data.n:
            counts = source.generator().multivariate_hypergeometric(counts, self.people)
        middles = Interval(_LOW, _HIGH, bins=BINS).midpoints
        truth = float(counts @ middles) / self.people
        tallies = {name: m.simulate(counts, source=source) for name, m in self.mechanisms.items()}
        told = [
            _mean(tallies[name], way) for name, _, way in (s.partition("-") for s in self.lines)
        ]
        return {"bias": np.array(told) - truth}


def _mean(tally: Tally, way: str) -> float:
    if way in ("", "clipped"):
        plain = estimate(tally, "unbiased").mean().value
        return min(max(plain, _LOW), _HIGH) if way else plain
    if way == "bounded":
        return estimate(tally, "bounded-mean").mean().value
    found = estimate(tally, way)
    shares, domain = found.require_shares("a mean"), tally.mechanism.domain.numbers
    assert domain is not None
    return float(shares @ domain.midpoints)  # without its error, which would take a while


def panels_of(data: Numbers) -> tuple[int, ...]:
    """The numbers of people: all, and of S-MN also few."""
    return (*FEWEST, data.n) if data.name == "s-mn" else (data.n,)


def means(datasets: Sequence[Numbers], repeats: int, few: int, **how: Any) -> Curves:
    """Errors by epsilon, by (data set, ``bias-<people>``), for the fewest also ``bias-adaptive-<people>``.

    The fewest people of S-MN, where errors are large, are drawn ``repeats`` times, others ``few``
    times, and so are the fewest for adaptive smoothing.
    """
    curves: Curves = {}
    for data in datasets:
        for people in panels_of(data):
            fewest = people <= FEWEST[0]
            curves |= _curve(data, people, LINES, "bias", repeats if fewest else few, **how)
            if fewest:
                curves |= _curve(data, people, ADAPTIVE, "bias-adaptive", few, **how)
    return curves


def _curve(
    data: Numbers, people: int, lines: tuple[str, ...], kind: str, repeats: int, **how: Any
) -> Curves:
    cells = [Panel(data, people, epsilon, lines) for epsilon in EPSILONS]
    what = f"figures 2 and 3: {data.name}, {people:,} people, {kind}"
    found = repeat(_drawing, cells, repeats, what=what, **how)
    values = np.stack([errors["bias"] for errors in found])
    measure = f"{kind}-{people}"
    return {(data.name, measure): Curve(data.name, measure, "epsilon", EPSILONS, lines, values)}


def absolute(curves: Curves) -> Curves:
    """Figure 2: the same curves without the signs, ``mean-<people>`` for ``bias-<people>``."""
    found = {}
    for (name, measure), curve in curves.items():
        told = measure.replace("bias", "mean", 1)
        found[name, told] = Curve(
            curve.dataset, told, curve.by, curve.xs, curve.methods, np.abs(curve.values)
        )
    return found


def _drawing(panel: Panel) -> Callable[[Seeded], Errors]:
    return panel.draw

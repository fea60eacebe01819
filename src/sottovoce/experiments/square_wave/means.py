"""The mean by stochastic rounding and by the piecewise mechanism, drawn often: both are cheap.

On [-1, 1] a report about v has variance ``((E+1)/(E-1))^2 - v^2`` by the first and
``v^2/(s-1) + (s+3)/(3(s-1)^2)`` by the second, ``s = e^(epsilon/2)``.  For people in the middle the
second is smaller from epsilon 0.61 on; for people at the ends it never is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.core.registry import mechanism
from sottovoce.estimators import estimate
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.square_wave.methods import Rivals
from sottovoce.experiments.square_wave.sweep import EPSILONS

__all__ = ["ROUNDINGS", "means"]

ROUNDINGS = ("sr", "pm")


def means(datasets: Sequence[Numbers], repeats: int, **how: Any) -> dict[tuple[str, str], Curve]:
    """Absolute errors of the mean, by epsilon."""
    cells = [Rivals(data, epsilon) for data in datasets for epsilon in EPSILONS]
    errors = repeat(_told, cells, repeats, what="means", **how)
    values = np.array([found["mean"] for found in errors])
    values = values.reshape(len(datasets), len(EPSILONS), len(ROUNDINGS), -1)
    return {
        (data.name, "means"): Curve(data.name, "means", "epsilon", EPSILONS, ROUNDINGS, values[i])
        for i, data in enumerate(datasets)
    }


def _told(rivals: Rivals) -> Callable[[Seeded], Errors]:
    made = [mechanism(name, rivals.domain, rivals.epsilon) for name in ROUNDINGS]
    counts, truth = rivals.data.counts(), rivals.data.shares()
    mean = float(truth @ rivals.domain.midpoints)

    def draw(source: Seeded) -> Errors:
        tallies = [m.simulate(counts, source=source) for m in made]
        told = [estimate(tally, "unbiased").mean().value for tally in tallies]
        return {"mean": np.abs(np.array(told) - mean)}

    return draw

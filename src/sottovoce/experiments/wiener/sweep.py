"""Figures 6 to 10: all methods by epsilon, by the number of values, on the largest, above a threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.wiener.histograms import MANY, Histogram
from sottovoce.experiments.wiener.methods import METHODS, Survey

__all__ = ["EPSILONS", "MIDDLE", "SIZES", "TOPS", "sweep", "thresholds"]

Curves = dict[tuple[str, str], Curve]

EPSILONS = (1.0, 2.0, 3.0, 4.0, 5.0)
MIDDLE = 4.0
"""The epsilon of all figures in which it does not vary."""
SIZES = (100, 200, 400, 600, 800, 1000)
TOPS = (10, 20, 30, 50, 70, 100)
_CLICKS = 8_019_015


def thresholds(data: Histogram) -> dict[float, float]:
    """The paper's thresholds, counts among its people, and the shares they are."""
    counts, people = ((500, 1000, 1500, 2000), MANY)
    if not data.binned:
        counts, people = ((5000, 10_000, 15_000, 20_000), _CLICKS)
    return {float(count): count / people for count in counts}


def sweep(datasets: Sequence[Histogram], repeats: int, **how: Any) -> Curves:
    """The curves of every data set, by (data set, measure)."""
    curves: Curves = {}
    for data, found in zip(datasets, _by_epsilon(datasets, repeats, **how), strict=True):
        middle, limits = found[EPSILONS.index(MIDDLE)], tuple(thresholds(data))
        mse = np.stack([errors["mse"] for errors in found])
        curves[data.name, "mse"] = _curve(data, "mse", "epsilon", EPSILONS, mse)
        tops = tuple(map(float, TOPS))
        curves[data.name, "top"] = _curve(data, "top", "k", tops, middle["top"])
        for measure in ("true", "false"):
            values = middle[measure]
            curves[data.name, measure] = _curve(data, measure, "threshold", limits, values)
    return curves | _by_size([d for d in datasets if d.binned], repeats, **how)


def _curve(data: Histogram, measure: str, by: str, xs: Sequence[float], values: Any) -> Curve:
    return Curve(data.name, measure, by, tuple(xs), METHODS, values)


def _by_epsilon(datasets: Sequence[Histogram], repeats: int, **how: Any) -> list[list[Errors]]:
    cells = [
        Survey(d, e, d.size, TOPS, tuple(thresholds(d).values()))
        for d in datasets
        for e in EPSILONS
    ]
    errors = repeat(_drawing, cells, repeats, what="figures 6, 8, 9, 10", **how)
    step = len(EPSILONS)
    return [errors[i : i + step] for i in range(0, len(errors), step)]


def _by_size(datasets: Sequence[Histogram], repeats: int, **how: Any) -> Curves:
    cells = [Survey(data, MIDDLE, size) for data in datasets for size in SIZES]
    errors = repeat(_drawing, cells, repeats, what="figures 7, 10", **how)
    values = np.array([found["mse"] for found in errors])
    values = values.reshape(len(datasets), len(SIZES), len(METHODS), -1)
    return {
        (data.name, "sizes"): _curve(data, "sizes", "d", tuple(map(float, SIZES)), values[i])
        for i, data in enumerate(datasets)
    }


def _drawing(survey: Survey) -> Callable[[Seeded], Errors]:
    return survey.draw

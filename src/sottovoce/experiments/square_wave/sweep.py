"""Figures 2 to 4: all measures by epsilon, from one set of drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import repeat
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.square_wave.methods import DISTRIBUTIONS, MOMENTS, RANGES, Rivals

__all__ = ["EPSILONS", "MEASURES", "sweep"]

EPSILONS = (0.5, 1.0, 1.5, 2.0, 2.5)
MEASURES = {
    "wasserstein": DISTRIBUTIONS, "ks": DISTRIBUTIONS, "range-0.1": RANGES, "range-0.4": RANGES,
    "mean": MOMENTS, "variance": MOMENTS, "quantiles": DISTRIBUTIONS,
}  # fmt: skip
"""Each with its methods (table 2 of the paper, and ours)."""


def sweep(datasets: Sequence[Numbers], repeats: int, **how: Any) -> dict[tuple[str, str], Curve]:
    """The curves of every data set, by (data set, measure)."""
    cells = [Rivals(data, epsilon) for data in datasets for epsilon in EPSILONS]
    errors = repeat(_drawing, cells, repeats, what="figures 2 to 4", **how)
    curves = {}
    for i, data in enumerate(datasets):
        at = errors[i * len(EPSILONS) : (i + 1) * len(EPSILONS)]
        for measure, methods in MEASURES.items():
            values = np.stack([found[measure] for found in at])
            curves[data.name, measure] = Curve(
                data.name, measure, "epsilon", EPSILONS, methods, values
            )
    return curves


def _drawing(rivals: Rivals) -> Any:
    return rivals.draw

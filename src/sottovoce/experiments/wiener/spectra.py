"""Figures 3 to 5: the power of the noise beside its expectation, and errors pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.estimators.filters.spectrum import spectrum_of
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.wiener.histograms import Histogram
from sottovoce.experiments.wiener.methods import ORACLES, Survey, after_passes, noise_powers
from sottovoce.experiments.wiener.sweep import MIDDLE

__all__ = ["BANDS", "PASSES", "PASS_EPSILONS", "noise", "passes"]

Curves = dict[tuple[str, str], Curve]

BANDS = 20
"""Frequencies are averaged in so many bands of equal width."""
PASSES = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200)
"""After 0 passes IIW is DW."""
PASS_EPSILONS = (1.0, 2.0, 3.0, 4.0)
_LINES = {"krr-iiw": ("krr", False), "oue-iiw": ("oue", False), "krr-iiw-g": ("krr", True)}


def noise(datasets: Sequence[Histogram], repeats: int, **how: Any) -> Curves:
    """Figure 3: measured over expected power of the noise at epsilon 4, in bands and at frequency 0."""
    cells = [Survey(data, MIDDLE, data.size) for data in datasets]
    errors = repeat(_powers, cells, repeats, what="figure 3", **how)
    bands = tuple((i + 0.5) / BANDS for i in range(BANDS))
    curves: Curves = {}
    for data, found in zip(datasets, errors, strict=True):
        for measure, xs in (("noise", bands), ("noise-0", (0.0,))):
            curves[data.name, measure] = Curve(
                data.name, measure, "frequency", xs, tuple(ORACLES), found[measure]
            )
    return curves


def _powers(survey: Survey) -> Callable[[Seeded], Errors]:
    def draw(source: Seeded) -> Errors:
        powers = [
            noise_powers(spectrum_of(raw), survey.truth) for raw in survey.raws(source).values()
        ]
        bands = [[part.mean() for part in np.array_split(p[1:], BANDS)] for p in powers]
        return {"noise": np.array(bands).T, "noise-0": np.array([[p[0] for p in powers]])}

    return draw


def passes(datasets: Sequence[Histogram], repeats: int, **how: Any) -> Curves:
    """Figures 4 and 5: errors of IIW and IIW-G by the number of passes, a curve an epsilon."""
    cells = [Survey(data, e, data.size) for data in datasets for e in PASS_EPSILONS]
    errors = repeat(_passes, cells, repeats, what="figures 4, 5", **how)
    return {
        (cell.data.name, f"passes-{cell.epsilon:g}"): Curve(
            cell.data.name, f"passes-{cell.epsilon:g}", "passes", tuple(map(float, PASSES)),
            tuple(_LINES), found["mse"],
        )
        for cell, found in zip(cells, errors, strict=True)
    }  # fmt: skip


def _passes(survey: Survey) -> Callable[[Seeded], Errors]:
    def draw(source: Seeded) -> Errors:
        raws = survey.raws(source)
        found = [
            list(after_passes(raws[oracle], PASSES, from_reports=start))
            for oracle, start in _LINES.values()
        ]
        mse = metrics.mean_squared_error(
            np.array(found), np.broadcast_to(survey.truth, (len(found), len(PASSES), survey.size))
        )
        return {"mse": mse.T}

    return draw

"""Figures 5 to 7 and what the paper leaves out: other waves, widths, buckets, orders and stops.

Every variant is a mechanism and a method for a data set; its error is the
Wasserstein distance to the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce import metrics
from sottovoce.base.randomness import Seeded
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.experiments.claims import Reading
from sottovoce.experiments.curves import Curve, quotient
from sottovoce.experiments.draws import Errors, repeat, shares_of
from sottovoce.experiments.numbers import FINE, Numbers
from sottovoce.mechanisms.square_wave import half_width

__all__ = [
    "BUCKETS",
    "HALF_WIDTHS",
    "RATIOS",
    "STOPS",
    "WIDTH_EPSILONS",
    "buckets",
    "chosen_width_readings",
    "orders",
    "shape_readings",
    "shapes",
    "stop_readings",
    "stops",
    "widths",
]

Curves = dict[tuple[str, str], Curve]

RATIOS = {"square": 1.0, "0.8": 0.8, "0.6": 0.6, "0.4": 0.4, "0.2": 0.2, "triangle": 0.0}
"""Waves by the ratio of their upper to their lower side."""
HALF_WIDTHS = (0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.34, 0.38)
SHAPE_WIDTHS = (0.06, 0.14, 0.22, 0.3, 0.38)
WIDTH_EPSILONS = (0.5, 1.0, 2.0, 3.0)
BUCKETS = (256, 512, 1024, 2048)
ORDERS = ("R-B", "B-R")
STOPS = (0.1, 1.0, 10.0)
"""Thresholds of the gain in log-likelihood at which iterations end, as multiples of the paper's."""
_EPSILONS = (0.5, 1.0, 1.5, 2.0, 2.5)
_MIDDLE = 1.0


@dataclass(frozen=True, eq=False)
class Variant:
    """A data set with a wave: its shape, half width, steps, buckets, and epsilon."""

    data: Numbers
    epsilon: float
    ratio: float = 1.0
    b: float | None = None
    bins: int | None = None
    steps: int | None = None

    def __str__(self) -> str:
        options = (self.epsilon, self.ratio, self.b, self.bins, self.steps)
        return ", ".join(map(str, (self.data.name, *options)))

    def on(self, bins: int, **options: Any) -> Mechanism:
        """The mechanism on [0, 1] in so many bins."""
        interval = Interval(0, 1, bins=bins)
        if self.ratio == 1:
            return mechanism("sw", interval, self.epsilon, b=self.b, **options)
        return mechanism("wave", interval, self.epsilon, b=self.b, ratio=self.ratio, **options)


# -- figures 5 and 6 ---------------------------------------------------------------------


def shapes(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """Figure 5: waves of all shapes and several half widths at epsilon 1."""
    cells = [
        Variant(data, _MIDDLE, ratio, b)
        for data in datasets
        for b in SHAPE_WIDTHS
        for ratio in RATIOS.values()
    ]
    errors = repeat(_smoothed, cells, repeats, what="figure 5", **how)
    return _curves(datasets, "shapes", errors, by="b", xs=SHAPE_WIDTHS, lines=tuple(RATIOS))


def widths(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """Figure 6: square waves by half width, a line an epsilon; and at the chosen half width."""
    cells = [
        Variant(data, epsilon, b=b)
        for data in datasets
        for b in (*HALF_WIDTHS, None)
        for epsilon in WIDTH_EPSILONS
    ]
    errors = repeat(_smoothed, cells, repeats, what="figure 6", **how)
    lines = tuple(f"epsilon {e:g}" for e in WIDTH_EPSILONS)
    return _curves(datasets, "widths", errors, by="b", xs=(*HALF_WIDTHS, CHOSEN), lines=lines)


CHOSEN = 0.0
"""Stands in the curve of figure 6 for the half width that the mechanism chooses itself."""


def _smoothed(variant: Variant) -> Callable[[Seeded], Errors]:
    """EMS on the paper's bins, people spread evenly in them."""
    bins = variant.data.bins if variant.bins is None else variant.bins
    counts, truth = variant.data.counts(bins), variant.data.shares(bins)
    options = {} if variant.steps is None else {"steps": variant.steps}
    wave = variant.on(bins, **options)

    def draw(source: Seeded) -> Errors:
        tally = wave.simulate(counts, source=source)
        return {"wasserstein": metrics.wasserstein(shares_of(tally, "ems"), truth)}

    return draw


def _curves(
    datasets: Sequence[Numbers],
    measure: str,
    errors: Sequence[Errors],
    *,
    by: str,
    xs: tuple[float, ...],
    lines: tuple[str, ...],
) -> Curves:
    """Cells that run through data sets, then xs, then lines."""
    values = np.array([found["wasserstein"] for found in errors])
    values = values.reshape(len(datasets), len(xs), len(lines), -1)
    return {
        (data.name, measure): Curve(data.name, measure, by, xs, lines, values[i])
        for i, data in enumerate(datasets)
    }


def shape_readings(curves: Curves) -> list[Reading]:
    """The error of the square wave over that of each other shape, summed over all half widths."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure == "shapes":
            totals = dict(zip(curve.methods, curve.values.sum(axis=0), strict=True))
            for shape in curve.methods[1:]:
                found = quotient([totals["square"]], [totals[shape]])
                readings.append(Reading(f"{name}: square / {shape}", found.value, found.stderr))
    return readings


def chosen_width_readings(curves: Curves) -> list[Reading]:
    """The error at the chosen half width over the least in hindsight, for every epsilon."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure != "widths":
            continue
        for line, epsilon in zip(curve.methods, WIDTH_EPSILONS, strict=True):
            best = min(HALF_WIDTHS, key=lambda b: curve.mean(b, line))
            found = quotient([curve.at(CHOSEN, line)], [curve.at(best, line)])
            where = f"{name}, {line}: b {half_width(epsilon):.3f} / best of those tried, {best:g}"
            readings.append(Reading(where, found.value, found.stderr))
    return readings


# -- figure 7 ----------------------------------------------------------------------------


def buckets(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """Figure 7: EMS in 256 to 2,048 bins, measured on these bins and on much finer ones.

    People are where they truly are, in 8,192 bins: with few bins a part of the
    error is that they are not spread evenly in them.
    """
    cells = [
        Variant(data, epsilon, bins=bins)
        for data in datasets
        for epsilon in _EPSILONS
        for bins in BUCKETS
    ]
    errors = repeat(_bucketed, cells, repeats, what="figure 7", **how)
    lines = tuple(map(str, BUCKETS))
    curves: Curves = {}
    for measure in ("buckets", "buckets-fine"):
        chosen = [{"wasserstein": found[measure]} for found in errors]
        curves |= _curves(datasets, measure, chosen, by="epsilon", xs=_EPSILONS, lines=lines)
    return curves


def _bucketed(variant: Variant) -> Callable[[Seeded], Errors]:
    assert variant.bins is not None
    data, bins = variant.data, variant.bins
    coarse, cells = variant.on(bins), variant.on(bins).cells
    fine = variant.on(FINE, output_bins=cells)
    assert fine.weights == coarse.weights  # one grid: a device does the same whatever the bins
    truth, everywhere = data.shares(bins), data.shares(FINE)

    def draw(source: Seeded) -> Errors:
        seen = fine.simulate(data.fine, source=source)
        shares = shares_of(Tally(coarse, seen.n, seen.cells), "ems")
        spread = np.repeat(shares, FINE // bins) * (bins / FINE)
        return {
            "buckets": metrics.wasserstein(shares, truth),
            "buckets-fine": metrics.wasserstein(spread, everywhere),
        }

    return draw


# -- what the paper tells in words only ------------------------------------------------------


def orders(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """Randomize, then bucketize; or the other way round: the discrete wave."""
    cells = [
        Variant(data, epsilon, steps=steps)
        for data in datasets
        for epsilon in _EPSILONS
        for steps in (None, 1)
    ]
    errors = repeat(_smoothed, cells, repeats, what="two orders", **how)
    return _curves(datasets, "orders", errors, by="epsilon", xs=_EPSILONS, lines=ORDERS)


def stops(datasets: Sequence[Numbers], repeats: int, **how: Any) -> Curves:
    """EM and EMS at epsilon 1, stopped later and earlier than the paper does."""
    cells = [Variant(data, _MIDDLE) for data in datasets]
    errors = repeat(_stopped, cells, repeats, what="stopping", **how)
    return {
        (data.name, "stops"): Curve(
            data.name, "stops", "threshold", STOPS, ("ems", "em"),
            found["wasserstein"].reshape(len(STOPS), 2, -1),
        )
        for data, found in zip(datasets, errors, strict=True)
    }  # fmt: skip


def _stopped(variant: Variant) -> Callable[[Seeded], Errors]:
    counts, truth = variant.data.counts(), variant.data.shares()
    wave = variant.on(variant.data.bins)
    usual = {"ems": 1e-3, "em": 1e-3 * np.exp(variant.epsilon)}

    def draw(source: Seeded) -> Errors:
        tally = wave.simulate(counts, source=source)
        rows = [
            shares_of(tally, method, tolerance=factor * usual[method])
            for factor in STOPS
            for method in ("ems", "em")
        ]
        return {"wasserstein": metrics.wasserstein(np.array(rows), truth)}

    return draw


def stop_readings(curves: Curves, method: str) -> list[Reading]:
    """The largest over the least error as the threshold changes a hundredfold."""
    readings = []
    for (name, measure), curve in curves.items():
        if measure == "stops":
            ranked = sorted(STOPS, key=lambda x: curve.mean(x, method))
            found = quotient([curve.at(ranked[-1], method)], [curve.at(ranked[0], method)])
            where = f"{name}: threshold times {ranked[-1]:g} / times {ranked[0]:g}"
            readings.append(Reading(where, found.value, found.stderr))
    return readings

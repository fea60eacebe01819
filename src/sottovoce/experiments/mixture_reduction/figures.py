"""The figures of the paper: what is drawn in which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sottovoce.experiments.curves import Curve
from sottovoce.experiments.mixture_reduction import conditional, convergence, distributions, means
from sottovoce.experiments.mixture_reduction.categories import SETS, UNIFORM
from sottovoce.experiments.mixture_reduction.drawing import (
    KEYS,
    MEANS,
    NUMBERS,
    PASSES,
    PREDICTIONS,
    STYLES,
    Panel,
    draw,
)
from sottovoce.experiments.mixture_reduction.frequencies import BIASED, ORACLES
from sottovoce.experiments.plots import Style, gallery

__all__ = ["FIGURES", "Figure", "picture"]

Curves = Mapping[tuple[str, str], Curve]

_BOXES = ("sr", "pm", "sw-ems", "pm-em", "pm-mr", "pm-bounded")
_RANK_GROUPS, _KEY_GROUPS = 24, 4
_MEASURES = {
    "wasserstein": "Wasserstein distance", "variance": "MAE of the variance",
    "range": "MAE, ranges of 10%", "quantiles": "MAE of deciles",
}  # fmt: skip

Build = Callable[[Curves, Mapping[str, Any]], Iterator[Panel]]


@dataclass(frozen=True)
class Figure:
    """A figure: its panels, from what was measured and the data sets by name."""

    name: str
    title: str
    panels: Build
    columns: int
    legend: int = 5


# -- panels --------------------------------------------------------------------------------------


def _shown(curve: Curve, styles: Mapping[str, Style]) -> tuple[str, ...]:
    return tuple(line for line in curve.methods if line in styles)


def _means(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for (dataset, measure), curve in curves.items():
        people = measure.removeprefix("mean-")
        if measure.startswith("mean-") and people.isdigit():
            heading = f"{datasets[dataset].title}: {int(people):,} people"
            fewer = curves.get((dataset, f"mean-adaptive-{people}"))
            whole = curve if fewer is None else _with_one(curve, fewer, "pm-adaptive")
            yield Panel(
                whole, _shown(whole, MEANS), heading, ("epsilon", "MAE of the mean"), MEANS,
                sources=(curve,) if fewer is None else (curve, fewer),
            )  # fmt: skip


def _boxes(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    few, many = means.FEWEST[0], "300000"
    for dataset, people, epsilon in (
        ("s-mn", few, 1.5), ("s-mn", many, 1.5), ("pay", "43386", 0.5), ("pay", "43386", 2.0),
    ):  # fmt: skip
        curve = curves.get((dataset, f"bias-{people}"))
        if curve is not None:
            heading = f"{datasets[dataset].title}: {int(people):,} people, epsilon {epsilon:g}"
            labels = ("", "estimate - truth")
            yield Panel(curve, _BOXES, heading, labels, MEANS, boxes_at=epsilon)


def _frequencies(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    labels = {"mae": "MAE, all values", "top": "MAE, frequent values"}
    for dataset in SETS:
        for measure, label in labels.items():
            for oracle in ORACLES:
                curve = curves.get((dataset, f"{oracle}-{measure}"))
                if curve is not None:
                    heading = f"{datasets[dataset].title}: {oracle.upper()}"
                    lines = _shown(curve, STYLES)
                    yield Panel(curve, lines, heading, ("epsilon", label), STYLES)


def _uniform(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for oracle in ORACLES:
        curve = curves.get((UNIFORM, f"{oracle}-mae"))
        if curve is not None:
            heading = f"{datasets[UNIFORM].title}: {oracle.upper()}"
            yield Panel(
                curve, _shown(curve, STYLES), heading, ("epsilon", "MAE, all values"), STYLES
            )


def _numbers(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for dataset in dict.fromkeys(name for name, measure in curves if measure == "pm-wasserstein"):
        for measure, label in _MEASURES.items():
            found = {m: curves[dataset, f"{m}-{measure}"] for m in distributions.MECHANISMS}
            whole = _side_by_side(found, measure)
            yield Panel(
                whole,
                _shown(whole, NUMBERS),
                datasets[dataset].title,
                ("epsilon", label),
                NUMBERS,
            )


def _side_by_side(curves: Mapping[str, Curve], measure: str) -> Curve:
    """The lines of several curves as one, each before its name that of its curve; means only."""
    first = next(iter(curves.values()))
    names = tuple(f"{name}-{line}" for name, curve in curves.items() for line in curve.methods)
    means = np.concatenate([curve.means for curve in curves.values()], axis=1)
    return Curve(
        first.dataset, measure, first.by, first.xs, names, np.stack([means, means], axis=-1)
    )


def _paths(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for dataset in SETS:
        for epsilon in convergence.PATH_EPSILONS:
            curve = curves.get((dataset, f"path-{epsilon:g}"))
            if curve is not None:
                heading = f"{datasets[dataset].title}: OLH, epsilon {epsilon:g}"
                labels = ("passes of EM", "MAE, all values")
                yield Panel(curve, curve.methods, heading, labels, PASSES, spread_out=True)


def _ranks(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for dataset in SETS:
        for oracle in ORACLES:
            curve = curves.get((dataset, f"{oracle}-ranks"))
            if curve is not None:
                truth = np.sort(datasets[dataset].shares)[::-1]
                edges = np.unique(np.geomspace(1, len(truth) + 1, _RANK_GROUPS + 1).astype(int)) - 1
                parts = [slice(a, b) for a, b in pairwise(edges.tolist())]
                heading = f"{datasets[dataset].title}: {oracle.upper()}"
                labels = ("rank of the value", "mean estimated share")
                yield Panel(
                    _grouped(curve, parts), BIASED, heading, labels, STYLES, spread_out=True,
                    truth=np.array([truth[part].mean() for part in parts]), sources=(curve,),
                )  # fmt: skip


def _grouped(curve: Curve, parts: Sequence[slice]) -> Curve:
    """The curve with the places of every part averaged."""
    xs = tuple(float(np.mean(curve.xs[part])) for part in parts)
    values = np.stack([curve.values[part].mean(axis=0) for part in parts])
    return Curve(curve.dataset, curve.measure, curve.by, xs, curve.methods, values)


def _people(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for name in distributions.SIZE_MECHANISMS:
        for measure, label in _MEASURES.items():
            for dataset in [d for d, m in curves if m == f"{name}-size-{measure}"]:
                curve = curves[dataset, f"{name}-size-{measure}"]
                fewer = curves[dataset, f"{name}-adaptive-{measure}"]
                whole = _with_one(curve, fewer, "adaptive")
                heading = f"{datasets[dataset].title}: {name.upper()}, epsilon 1"
                labels = ("people", label)
                yield Panel(
                    whole, whole.methods, heading, labels, STYLES, spread_out=True,
                    sources=(curve, fewer),
                )  # fmt: skip


def _with_one(curve: Curve, fewer: Curve, line: str) -> Curve:
    """The lines of a curve, and one of another; means only."""
    own = fewer.means[:, [fewer.methods.index(line)]]
    means_of = np.concatenate([curve.means, own], axis=1)
    values = np.stack([means_of, means_of], axis=-1)
    return Curve(curve.dataset, curve.measure, curve.by, curve.xs, (*curve.methods, line), values)


def _keys(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    label = "MSE of the mean"
    for dataset in dict.fromkeys(name for name, measure in curves if measure == "means"):
        whole, title = curves[dataset, "means"], datasets[dataset].title
        lines, by = _shown(whole, KEYS), "percent of people who hold a key"
        yield Panel(
            whole, lines, f"{title}: all keys", ("epsilon", label), KEYS, spread_out=True,
            ticks=conditional.EPSILONS,
        )  # fmt: skip
        for epsilon in conditional.EPSILONS[1:3]:
            curve = curves[dataset, f"keys-{epsilon:g}"]
            edges = np.linspace(0, len(curve.xs), _KEY_GROUPS + 1).astype(int).tolist()
            parts = [slice(a, b) for a, b in pairwise(edges)]
            yield Panel(
                _grouped(curve, parts), lines, f"{title}: epsilon {epsilon:g}", (by, label), KEYS,
                spread_out=True, ticks=(3.0, 5.0, 10.0, 20.0), sources=(curve,),
            )  # fmt: skip


def _proposition(curves: Curves, datasets: Mapping[str, Any]) -> Iterator[Panel]:
    for dataset in (*SETS, UNIFORM):
        found = {o: curves.get((dataset, f"{o}-proposition")) for o in ORACLES}
        known = {o: curve for o, curve in found.items() if curve is not None}
        if known:
            whole = _side_by_side(known, "proposition")
            yield Panel(
                whole,
                whole.methods,
                datasets[dataset].title,
                ("epsilon", "MSE of MR"),
                PREDICTIONS,
            )


FIGURES: Sequence[Figure] = (
    Figure("Figure 2", "The mean, by plain average and from distributions", _means, 3, 4),
    Figure("Figure 3", "Errors of the mean, with their sign", _boxes, 2),
    Figure("Figure 4", "Shares of all values, and of the most frequent tenth", _frequencies, 4),
    Figure("Figure 5", "Distributions of numbers: EM, MR and EMS on three mechanisms", _numbers, 4),
    Figure("Figure 6", "EM pass by pass; reductions as lines, where they ended", _paths, 2, 3),
    Figure("Figure 7", "All values alike", _uniform, 2),
    Figure(
        "Figure 8",
        "Mean estimates by rank, epsilon 1, neighbouring ranks together; black: the truth",
        _ranks,
        4,
    ),
    Figure("Figure 9", "Distributions of numbers by the number of people", _people, 4),
    Figure(
        "Figure 10",
        "Means of the numbers of every key; on the right, keys in four groups by frequency",
        _keys,
        3,
        4,
    ),
    Figure("Proposition 1", "The error of MR, measured and predicted", _proposition, 3, 3),
)


def picture(figure: Figure, curves: Curves, datasets: Mapping[str, Any]) -> Any:
    """The whole figure as one picture."""
    shown = list(figure.panels(curves, datasets))
    return gallery(shown, draw, columns=figure.columns, legend=figure.legend)

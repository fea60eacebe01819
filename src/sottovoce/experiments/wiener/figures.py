"""The figures of the paper: what is drawn in which, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.experiments.curves import Curve
from sottovoce.experiments.plots import Style, draw_curves, gallery
from sottovoce.experiments.wiener.comparison import SMOOTH
from sottovoce.experiments.wiener.histograms import Histogram
from sottovoce.experiments.wiener.methods import ORACLES, named

__all__ = ["ALL", "FIGURES", "ROUGH", "TITLES", "Figure", "Panel", "draw", "panels", "picture"]

ROUGH = ("ring-shuffled", "taxi-shuffled", "taxi-many-shuffled", "kosarak")
"""The sets whose neighbouring values have nothing to do with each other."""
ALL = ("flat", *SMOOTH, *ROUGH)

_LOOKS = {
    "": ("plain", "#8c8c8c", "x", "-"), "dw": ("DW", "#f0b429", "^", "-"),
    "iiw": ("IIW", "#2a6fdb", "o", "-"), "iiw-g": ("IIW-G", "#e0353f", "P", "-"),
    "smooth": ("smoothing", "#a55c12", "s", "--"), "amrp": ("AMRP", "#2a9d5c", "D", "-"),
    "gf1": ("GF1", "#b07aa1", "v", "--"), "gf3": ("GF3", "#7d55c7", "d", "--"),
    "gf1-dw": ("GF1-DW", "#17a2b8", "v", "-"), "gf3-dw": ("GF3-DW", "#d0306f", "d", "-"),
    "iiw-limit": ("IIW, limit", "#123a7a", ".", ":"),
}  # fmt: skip
_STYLES = {
    named(oracle, step): Style(title, color, marker, line)
    for oracle in ORACLES
    for step, (title, color, marker, line) in _LOOKS.items()
}
TITLES = {
    named(oracle, step): f"{oracle.upper()}, {title}"
    for oracle in ORACLES
    for step, (title, *_) in _LOOKS.items()
} | {"flat": "all alike"}
_BOTH = {
    "krr": Style("KRR", "#e0353f"), "oue": Style("OUE", "#2a6fdb", "s"),
    "krr-iiw": Style("KRR, IIW", "#e0353f"), "oue-iiw": Style("OUE, IIW", "#2a6fdb", "s"),
    "krr-iiw-g": Style("KRR, IIW-G", "#2a9d5c", "P"),
}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A figure: for each data set a panel a measure, and an oracle where both are not in one."""

    name: str
    title: str
    measures: tuple[str, ...]
    labels: tuple[str, str]
    datasets: tuple[str, ...]
    smooth: tuple[str, ...] = ()
    """What is done to shares of smooth data sets; if left out, all lines of the curve are drawn."""
    rough: tuple[str, ...] = ("", "dw", "amrp")
    spread_out: bool = False
    """Whether places along the curve are on a scale that spreads out small numbers."""


_FILTERS = ("", "dw", "iiw", "iiw-g", "smooth")
_GAUSSIAN = ("", "iiw", "gf1", "gf3", "gf1-dw", "gf3-dw")
_MSE = "mean squared error"
FIGURES = (
    Figure("Figure 3", "Power of the noise over its expectation, epsilon 4", ("noise",), ("frequency, in parts of the largest", "measured / expected"), (*SMOOTH, *ROUGH)),
    Figure("Figure 4", "Convergence at epsilon 4; after 0 passes IIW is DW", ("passes-4",), ("passes", _MSE), (*SMOOTH, *ROUGH), spread_out=True),
    Figure("Figure 5", "Convergence by epsilon", ("passes-1", "passes-2", "passes-3", "passes-4"), ("passes", _MSE), SMOOTH, spread_out=True),
    Figure("Figure 6", "Error by epsilon", ("mse",), ("epsilon", _MSE), (*SMOOTH, *ROUGH), _FILTERS),
    Figure("Figure 7", "Error by the number of values, epsilon 4", ("sizes",), ("d", _MSE), (*SMOOTH, *ROUGH), _FILTERS),
    Figure("Figure 8", "Error on the k largest values, epsilon 4", ("top",), ("k", _MSE), (*SMOOTH, *ROUGH), _FILTERS),
    Figure("Figure 10", "Gaussian filters", ("mse", "sizes"), ("epsilon, or d at epsilon 4", _MSE), SMOOTH, _GAUSSIAN),
)  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """A curve and those of its lines that are drawn."""

    curve: Curve
    methods: tuple[str, ...]
    heading: str
    """What the panel is about, beside the data set."""


def panels(figure: Figure, curves: Mapping[tuple[str, str], Curve]) -> Iterator[list[Panel]]:
    """For each data set that was measured, its panels."""
    for dataset in figure.datasets:
        measured = [curves[dataset, m] for m in figure.measures if (dataset, m) in curves]
        if measured:
            yield [panel for curve in measured for panel in _of_curve(figure, curve)]


def _of_curve(figure: Figure, curve: Curve) -> Iterator[Panel]:
    steps = figure.smooth if curve.dataset in SMOOTH else figure.rough
    if not figure.smooth:
        epsilon = curve.measure.partition("-")[2]
        yield Panel(curve, curve.methods, f"epsilon {epsilon or 4}")
        return
    for oracle in ORACLES:
        lines = tuple(named(oracle, step) for step in steps)
        yield Panel(curve, tuple(m for m in lines if m in curve.methods), oracle.upper())


def draw(figure: Figure, panel: Panel, title: str, axes: Any = None) -> Any:
    """One panel, as a figure of its own or into ``axes``."""
    styles = _STYLES if figure.smooth else _BOTH
    drawn = draw_curves(
        panel.curve, panel.methods, styles, title=f"{title}: {panel.heading}",
        labels=figure.labels, bands=False, axes=axes,
    )  # fmt: skip
    inner = drawn.axes[0] if axes is None else axes
    if figure.spread_out:
        inner.set_xscale("symlog")
        inner.set_xlim(-0.3, 1.3 * panel.curve.xs[-1])
        inner.set_xticks([0, 1, 3, 10, 30, 100], ["0", "1", "3", "10", "30", "100"])
    elif figure.measures == ("noise",):
        inner.set_xticks([0, 0.25, 0.5, 0.75, 1])
        inner.set_yscale("linear")
        inner.set_ylim(0.85, 1.15)
    elif panel.curve.measure == "sizes":
        inner.set_xticks([100, 400, 700, 1000])
    return drawn


def picture(
    figure: Figure,
    curves: Mapping[tuple[str, str], Curve],
    datasets: Mapping[str, Histogram],
) -> Any:
    """The whole figure as one picture, two panels or four in a row."""
    shown = [panel for row in panels(figure, curves) for panel in row]
    return gallery(
        shown,
        lambda panel, place: draw(figure, panel, datasets[panel.curve.dataset].title, place),
        columns=4 if len(figure.measures) > 1 else 2,
    )

"""The figures of the paper: what is drawn in which, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.experiments.curves import Curve
from sottovoce.experiments.fusion.services import GROUPS
from sottovoce.experiments.fusion.values import PAPERS, SKEWED
from sottovoce.experiments.plots import Style, draw_curves, gallery

__all__ = ["ALL", "FIGURES", "TITLES", "Figure", "draw", "panels", "picture"]

ALL = (*PAPERS, SKEWED)
_STYLES = {
    "sr": Style("SR", "#8c8c8c", "X"), "laplace": Style("Laplace", "#b07aa1", "v"),
    "pm": Style("PM", "#f0b429", "^"), "sw": Style("SW", "#2a9d5c", "s"),
    "ua": Style("UA", "#e07b39", "D", "--"), "uwa": Style("UWA", "#e0353f", "P"),
    "population": Style("population weights (ours)", "#123a7a", "o", ":"),
    "ule": Style("ULE", "#2a6fdb", "o", "-", 2.0), "best": Style("best single", "#8c8c8c", "x"),
    "0.1": Style("budget 0.1", "#cccccc", "v"), "0.2": Style("budget 0.2", "#aaaaaa", "^"),
    "0.3": Style("budget 0.3", "#888888", "s"), "0.4": Style("budget 0.4", "#555555", "x"),
}  # fmt: skip
TITLES = {name: style.title for name, style in _STYLES.items()} | {
    f"all + {name}": f"all and one more {_STYLES[name].title}"
    for name in ("sr", "laplace", "pm", "sw")
}
_MSE, _JS = "mean squared error", "Jensen-Shannon (root)"
_PRINTED = "EM, |dL| < eps"


@dataclass(frozen=True)
class Figure:
    """A figure: for each data set a panel a measure."""

    name: str
    title: str
    measures: tuple[str, ...]
    labels: Mapping[str, tuple[str, str]]
    """Axes by measure."""
    datasets: tuple[str, ...] = PAPERS
    ticks: Mapping[str, tuple[str, ...]] | None = None
    """What stands at places that are no numbers, by measure."""


_A, _C = (tuple(f"{s}{i}" for i in range(1, 5)) for s in "AC")
_G = tuple(f"G{i}" for i in range(1, 1 + len(GROUPS)))
_WAVES = ("beta-sin",)
FIGURES = (
    Figure("Figure 4", f"One budget for all services; distributions by {_PRINTED}", ("epsilon-mse", "full-epsilon-printed"), {"epsilon-mse": ("epsilon", _MSE), "full-epsilon-printed": ("epsilon", _JS)}),
    Figure("Figure 4 rules", "Distributions under two other rules: EM to 0.001 e^eps, and EMS to 0.001", ("rules-epsilon-published", "rules-epsilon-smoothed"), {"rules-epsilon-published": ("epsilon", f"{_JS}, EM"), "rules-epsilon-smoothed": ("epsilon", f"{_JS}, EMS")}),
    Figure("Figure 5", f"Different budgets; distributions by {_PRINTED}", ("setting-mse", "full-setting-printed"), {"setting-mse": ("budgets", _MSE), "full-setting-printed": ("budgets", _JS)}, ticks={"setting-mse": _A, "full-setting-printed": _C}),
    Figure("Figure 5 rules", "Distributions under two other rules: EM to 0.001 e^eps, and EMS to 0.001", ("rules-setting-published", "rules-setting-smoothed"), {"rules-setting-published": ("budgets", f"{_JS}, EM"), "rules-setting-smoothed": ("budgets", f"{_JS}, EMS")}, ticks={"rules-setting-published": _C, "rules-setting-smoothed": _C}),
    Figure("Figure 6", "One mechanism for all services, and sequences", ("same-mse", "same-printed", "dimensions-mse", "dimensions-printed"), {"same-mse": ("mechanism", _MSE), "same-printed": ("mechanism", _JS), "dimensions-mse": ("numbers a user has", _MSE), "dimensions-printed": ("numbers a user has", _JS)}, (*_WAVES, "steps"), {"same-mse": ("SR", "Laplace", "PM", "SW"), "same-printed": ("SR", "PM", "SW")}),
    Figure("Figure 7", "By the number of services and of people, budget 0.1", ("count-mse", "count-printed", "people-mse", "people-printed"), {"count-mse": ("services", _MSE), "count-printed": ("services", _JS), "people-mse": ("people", _MSE), "people-printed": ("people", _JS)}, _WAVES),
    Figure("Figure 8", "Asking once more, and groups of users with different services", ("again-mse", "again-printed", "group-mse", "group-printed"), {"again-mse": ("budget of a user in all", _MSE), "again-printed": ("budget of a user in all", _JS), "group-mse": ("group", _MSE), "group-printed": ("group", _JS)}, _WAVES, {"group-mse": _G, "group-printed": _G}),
    Figure("Bias", "How far fused means are off on average", ("bias-error",), {"bias-error": ("epsilon of each service", "mean error")}, (*_WAVES, SKEWED)),
)  # fmt: skip


def panels(figure: Figure, curves: Mapping[tuple[str, str], Curve]) -> Iterator[Curve]:
    """What was measured of a figure, a measure after the other."""
    for measure in figure.measures:
        for dataset in figure.datasets:
            if (dataset, measure) in curves:
                yield curves[dataset, measure]


def draw(figure: Figure, curve: Curve, title: str, axes: Any = None) -> Any:
    """One panel, as a figure of its own or into ``axes``."""
    special = _SPECIAL.get(curve.measure)
    if special is not None and axes is None:
        return gallery([curve], lambda c, place: draw(figure, c, title, place), columns=1, legend=2)
    if special is not None:
        draw_curves(_BLANK, (), {}, title=title, labels=figure.labels[curve.measure], axes=axes)
        special(curve, axes)
        return axes
    drawn = draw_curves(
        curve, curve.methods, _STYLES, title=title, labels=figure.labels[curve.measure],
        bands=False, axes=axes,
    )  # fmt: skip
    inner = drawn.axes[0] if axes is None else axes
    if not curve.measure.endswith("mse"):
        inner.set_yscale("linear")
    ticks = (figure.ticks or {}).get(curve.measure)
    if ticks:
        inner.set_xticks(curve.xs, ticks)
        inner.tick_params(axis="x", labelsize=8 if len(ticks) > 5 else 9.5)
    elif curve.by == "people":
        inner.set_xscale("log")
        inner.set_xticks(curve.xs, [_people(x) for x in curve.xs])
        inner.minorticks_off()
    return drawn


def _people(count: float) -> str:
    return f"{count / 1e6:g}M" if count >= 1e5 else f"{count / 1e3:g}k"


_BLANK = Curve("", "", "", (0.0,), (), np.ones((1, 0, 2)))


def _draw_budgets(curve: Curve, axes: Any) -> None:
    """A mark a strategy, at what it makes users spend in all."""
    if not curve.measure.endswith("mse"):
        axes.set_yscale("linear")
    there = 0.4 if "population" in curve.methods else 0.3
    for place, method in enumerate(curve.methods):
        kind = method.removeprefix("all + ")
        style, fused = _STYLES[kind], method in ("ua", "uwa", "population", "ule")
        values = curve.at(1.0, method)
        budget = there if fused else there + 0.1
        shift = 0.006 * (place % 4 - 1.5)
        axes.errorbar(
            budget + shift, values.mean(), yerr=2 * values.std(ddof=1) / np.sqrt(len(values)),
            fmt=style.marker, color=style.color, markersize=6, linewidth=1.2,
            markerfacecolor=style.color if fused or method.startswith("all") else "none",
            label=TITLES[method] if fused or method != kind else f"one more {style.title} alone",
        )  # fmt: skip
    axes.set_xticks([there, there + 0.1], [f"{there:g}", f"{there + 0.1:g}"])
    axes.set_xlim(there - 0.03, there + 0.13)


def _draw_bias(curve: Curve, axes: Any) -> None:
    """Mean errors with two standard errors to either side, and a line at 0."""
    axes.set_yscale("linear")
    axes.axhline(0, color="#888888", linewidth=0.8)
    for method in ("uwa", "population"):
        style, column = _STYLES[method], curve.methods.index(method)
        values = curve.values[:, column]
        axes.errorbar(
            curve.xs, values.mean(axis=1),
            yerr=2 * values.std(axis=1, ddof=1) / np.sqrt(values.shape[1]), fmt=style.marker,
            linestyle=style.line, color=style.color, markersize=5, linewidth=1.2, label=style.title,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks(curve.xs, [f"{x:g}" for x in curve.xs])
    axes.minorticks_off()
    axes.locator_params(axis="y", nbins=6)


_SPECIAL = {
    "again-mse": _draw_budgets,
    "again-printed": _draw_budgets,
    "bias-error": _draw_bias,
}


def picture(
    figure: Figure, curves: Mapping[tuple[str, str], Curve], titles: Mapping[str, str]
) -> Any:
    """The whole figure as one picture."""
    shown = list(panels(figure, curves))
    return gallery(
        shown,
        lambda curve, place: draw(figure, curve, titles[curve.dataset], place),
        columns=4 if len(shown) >= 4 else 2,
        legend=4,
    )

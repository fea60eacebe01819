"""The figures of the paper: what is drawn in which, and how."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.experiments.consistency.comparison import TASKS, Cell
from sottovoce.experiments.consistency.methods import TITLES
from sottovoce.experiments.consistency.sweep import EPSILONS, PERCENTS, TOPS
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.datasets import Dataset
from sottovoce.experiments.plots import Style, draw_curves, draw_ratios, grid

__all__ = ["APPENDIX", "FIGURES", "LEFT", "MAIN", "RIGHT", "STYLES", "Figure", "panels", "picture", "ratios"]  # fmt: skip

MAIN = ("zipf", "cities")
APPENDIX = ("beta", "kosarak", "kosarak-short", "retail", "emoji")

LEFT = ("unbiased", "base-pos", "post-pos", "norm", "norm-mul", "norm-sub")
RIGHT = ("norm-sub", "mle-apx", "base-cut", "norm-cut", "norm-hyb", "power", "power-ns", "exchangeable")  # fmt: skip
"""The paper's two panels; in the right one are also the two methods that it does not have."""

_LOOKS = {
    "unbiased": ("#8c8c8c", "o", "-"), "base-pos": ("#e69f00", "^", "-"),
    "post-pos": ("#b07aa1", "v", "--"), "norm": ("#3fa7dd", "s", "--"),
    "norm-mul": ("#d55e00", "D", "-"), "norm-sub": ("#2a9d5c", "P", "-"),
    "mle-apx": ("#9acd32", "x", "--"), "base-cut": ("#e377c2", "^", "-"),
    "norm-cut": ("#a9745b", "v", "-"), "norm-hyb": ("#4c7fd6", "s", "-"),
    "power": ("#c9a227", "D", "-"), "power-ns": ("#17a2b8", "d", "--"),
    "exchangeable": ("#e0353f", "o", "-"),
}  # fmt: skip
STYLES = {
    name: Style(TITLES[name], color, marker, line, 2.2 if name == "exchangeable" else 1.4)
    for name, (color, marker, line) in _LOOKS.items()
}

_EPSILON = "epsilon"
_SET, _TOP = "set size, percent of the domain", "k"


@dataclass(frozen=True)
class Figure:
    """A figure: for each data set, one measure along some xs, in two panels."""

    name: str
    title: str
    measures: tuple[str, ...]
    datasets: tuple[str, ...]
    xs: tuple[float, ...]
    labels: tuple[str, str]

    def curves(self, curves: Mapping[tuple[str, str], Curve]) -> Iterator[Curve]:
        """The curves of it that were measured."""
        for dataset in self.datasets:
            for measure in self.measures:
                if (dataset, measure) in curves:
                    yield curves[dataset, measure]


_WIDE = tuple(p for p in PERCENTS if p >= 10)
_NARROW = tuple(p for p in PERCENTS if p <= 10)

FIGURES = (
    Figure("Figure 1", "MSE on the full domain, by epsilon", ("mse",), MAIN, EPSILONS, (_EPSILON, "MSE")),
    Figure("Figure 2", "Random sets of 10% to 90%, epsilon 1", ("sets",), MAIN, _WIDE, (_SET, "MSE of totals")),
    Figure("Figure 3", "Random sets of 1% to 10%, epsilon 1", ("sets",), MAIN, _NARROW, (_SET, "MSE of totals")),
    Figure("Figure 4", "Fixed groups of cities, by epsilon", ("states", "divisions"), ("cities",), EPSILONS, (_EPSILON, "MSE of totals")),
    Figure("Figure 5", "The true top k, epsilon 1", ("top",), MAIN, TOPS, (_TOP, "MSE on the top k")),
    Figure("Figure 7", "MAE on the full domain, by epsilon", ("mae",), APPENDIX + MAIN, EPSILONS, (_EPSILON, "MAE")),
    Figure("Figure 8", "Random sets of 5%, by epsilon", ("sets-5",), APPENDIX, EPSILONS, (_EPSILON, "MSE of totals")),
    Figure("Figure 9", "The true top 10, by epsilon", ("top-10",), APPENDIX, EPSILONS, (_EPSILON, "MSE on the top 10")),
)  # fmt: skip
"""Figure 6 shows the data sets themselves."""

_GROUPS = {"states": ", states", "divisions": ", nine divisions"}


def heading(curve: Curve, datasets: Mapping[str, Dataset]) -> str:
    """What a panel is about."""
    return datasets[curve.dataset].title + _GROUPS.get(curve.measure, "")


def panels(figure: Figure, curve: Curve, title: str) -> Iterator[Any]:
    """The two panels of a data set, as figures of their own."""
    for methods in (LEFT, RIGHT):
        yield draw_curves(
            curve, methods, STYLES, xs=figure.xs, title=title, labels=figure.labels
        )  # fmt: skip


def picture(
    figure: Figure,
    curves: Mapping[tuple[str, str], Curve],
    datasets: Mapping[str, Dataset],
) -> Any:
    """The whole figure as one picture: a row a data set."""
    rows = list(figure.curves(curves))
    whole, axes = grid(len(rows), 2, (8.6, 0.7 + 2.7 * len(rows)))
    for line, curve in zip(axes, rows, strict=True):
        for panel, methods in zip(line, (LEFT, RIGHT), strict=True):
            title = heading(curve, datasets)
            draw_curves(
                curve, methods, STYLES, xs=figure.xs, title=title, labels=figure.labels, axes=panel
            )
    for panel in axes[-1]:
        panel.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False, fontsize=8
        )
    return whole


def ratios(cells: Sequence[Cell], mechanism: str, task: str) -> Any:
    """Ours and the oracle's error over the best method's, a row a cell."""
    chosen = [c for c in cells if (c.mechanism, c.task) == (mechanism, task)]
    names = [f"{c.dataset}, {c.epsilon:g}" for c in chosen]
    ours = Style("ours" if task == "top" else "exchangeable", "#e0353f", "o")
    series = {"ours": ([c.ours.value for c in chosen], [c.ours.stderr for c in chosen], ours)}
    if task != "top":
        found = [c.over_best("oracle") for c in chosen]
        style = Style("oracle (bound)", "#8c8c8c", "|")
        values = [math.nan if c.small else q.value for c, q in zip(chosen, found, strict=True)]
        series["oracle"] = (values, [q.stderr for q in found], style)
    return draw_ratios(
        names, series, title=f"{mechanism.upper()}, {TASKS[task]}",
        label="MSE over that of the best published method",
    )  # fmt: skip

"""The figures of the paper: what is drawn in which, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.experiments.curves import Curve
from sottovoce.experiments.numbers import Numbers
from sottovoce.experiments.plots import Style, draw_curves, gallery
from sottovoce.experiments.square_wave.methods import TITLES
from sottovoce.experiments.square_wave.variants import CHOSEN, WIDTH_EPSILONS
from sottovoce.mechanisms.square_wave import half_width

__all__ = ["ALL", "FIGURES", "PAPERS", "Figure", "draw", "picture", "shown"]

PAPERS = ("beta-5-2", "taxi", "benefits", "wages")
"""The paper's four data sets, or what stands in for them."""
ALL = (*PAPERS, "wages-rounded", "wages-rounded-many")

_LOOKS = {
    "ems": ("#2a6fdb", "o", "-"), "em": ("#17a2b8", "v", "--"), "adaptive": ("#e0353f", "o", "-"),
    "hh-admm": ("#2a9d5c", "P", "-"), "cfo-16": ("#f0b429", "^", "--"),
    "cfo-32": ("#d98c1f", "s", "--"), "cfo-64": ("#a55c12", "D", "--"),
    "hh": ("#8c8c8c", "x", ":"), "haar": ("#b07aa1", "d", ":"),
    "sr": ("#8c8c8c", "x", "-"), "pm": ("#b07aa1", "d", "-"),
}  # fmt: skip
_METHODS = {
    name: Style(TITLES[name], color, marker, line, 2.2 if name == "adaptive" else 1.4)
    for name, (color, marker, line) in _LOOKS.items()
}
_STEPS = ("#e0353f", "#e8833a", "#c9a227", "#2a9d5c", "#2a6fdb", "#7d55c7")


def _steps(titles: Mapping[str, str], markers: str = "osD^vP") -> dict[str, Style]:
    """Lines that differ by degree."""
    return {
        line: Style(title, color, marker)
        for (line, title), color, marker in zip(titles.items(), _STEPS, markers, strict=False)
    }


_RATIOS = ("0.8", "0.6", "0.4", "0.2")
_STYLES = {
    "shapes": _steps(
        {"square": "square", **{r: f"ratio {r}" for r in _RATIOS}, "triangle": "triangle"}
    ),
    "widths": _steps({f"epsilon {e:g}": f"epsilon {e:g}" for e in WIDTH_EPSILONS}),
    "buckets": _steps({b: f"{b} buckets" for b in ("256", "512", "1024", "2048")}),
    "orders": _steps({"R-B": "randomize, bucketize", "B-R": "bucketize, randomize"}),
}


@dataclass(frozen=True)
class Figure:
    """A figure: for each data set a panel a measure."""

    name: str
    title: str
    panels: Mapping[str, str]
    """Measures, with the label of the axis."""
    datasets: tuple[str, ...]
    by: str = "epsilon"

    def curves(self, curves: Mapping[tuple[str, str], Curve]) -> Iterator[tuple[Curve, ...]]:
        """For each data set that was measured, the curves of the panels."""
        for dataset in self.datasets:
            if all((dataset, measure) in curves for measure in self.panels):
                yield tuple(curves[dataset, measure] for measure in self.panels)


_W1 = "Wasserstein distance"
FIGURES = (
    Figure("Figure 2", "Distances of distributions", {"wasserstein": _W1, "ks": "KS distance"}, ALL),
    Figure("Figure 3", "Random ranges of 10% and 40%", {"range-0.1": "MAE, ranges of 10%", "range-0.4": "MAE, ranges of 40%"}, ALL),
    Figure("Figure 4", "Mean, variance, quantiles", {"mean": "MAE of the mean", "variance": "MAE of the variance", "quantiles": "MAE of deciles"}, ALL),
    Figure("Figure 5", "Waves of other shapes, epsilon 1", {"shapes": _W1}, PAPERS, "b"),
    Figure("Figure 6", "Square waves of other half widths b; dotted and starred: the chosen b", {"widths": _W1}, PAPERS, "b"),
    Figure("Figure 7", "More and fewer buckets", {"buckets": _W1}, PAPERS),
    Figure("Orders", "Randomize then bucketize, or bucketize then randomize", {"orders": _W1}, PAPERS),
)  # fmt: skip


def shown(curve: Curve) -> tuple[float, ...]:
    """The places along the curve: all but that of the chosen half width, drawn as a star."""
    return tuple(x for x in curve.xs if curve.measure != "widths" or x != CHOSEN)


def draw(figure: Figure, curve: Curve, title: str, axes: Any = None) -> Any:
    """One panel, as a figure of its own or into ``axes``."""
    styles = _STYLES.get(curve.measure, _METHODS)
    drawn = draw_curves(
        curve, curve.methods, styles, xs=shown(curve), title=title,
        labels=(figure.by, figure.panels[curve.measure]), bands=len(curve.methods) < 6, axes=axes,
    )  # fmt: skip
    if curve.measure == "widths":
        panel = drawn.axes[0] if axes is None else axes
        panel.set_xticks([0, 0.1, 0.2, 0.3, 0.4])
        for line, epsilon in zip(curve.methods, WIDTH_EPSILONS, strict=True):
            b, color = half_width(epsilon), styles[line].color
            panel.axvline(b, color=color, linestyle=":", linewidth=1)
            panel.plot(b, curve.mean(CHOSEN, line), "*", color=color, markersize=11)
    return drawn


def picture(
    figure: Figure,
    curves: Mapping[tuple[str, str], Curve],
    datasets: Mapping[str, Numbers],
) -> Any:
    """The whole figure as one picture: a row a data set, or two where each has one panel."""
    shown = [curve for row in figure.curves(curves) for curve in row]
    return gallery(
        shown,
        lambda curve, place: draw(figure, curve, datasets[curve.dataset].title, place),
        columns=max(len(figure.panels), 2),
        width=2.2,
        legend=4,
    )

"""How lines are drawn, and what a panel of a figure is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce.channels.base import Floats
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.mixture_reduction import conditional
from sottovoce.experiments.mixture_reduction.methods import TITLES
from sottovoce.experiments.plots import Style, draw_curves, grid

__all__ = ["KEYS", "MEANS", "NUMBERS", "PASSES", "PREDICTIONS", "STYLES", "Panel", "draw"]

_LOOKS = {
    "unbiased": ("#9a9a9a", "x", "-"), "norm-sub": ("#f0b429", "^", "--"),
    "norm-cut": ("#a55c12", "s", "--"), "iiw": ("#b07aa1", "d", "--"),
    "em": ("#2a6fdb", "o", "-"), "em-cut": ("#17a2b8", "v", ":"), "mle": ("#123a7a", "D", ":"),
    "mr": ("#e0353f", "P", "-"), "mr-smallest": ("#e0353f", "P", "-"),
    "mr-initial": ("#d0306f", "X", ":"), "ems": ("#7d55c7", "*", "-"),
    "exchangeable": ("#1e8449", "o", "-"),
    "adaptive": ("#1e8449", "o", "-"),
}  # fmt: skip
STYLES = {
    line: Style(TITLES[line], color, marker, dash) for line, (color, marker, dash) in _LOOKS.items()
}
KEYS = {
    line: Style(conditional.TITLES[line], color, marker, dash)
    for line, color, marker, dash in (
        ("ue", "#f0b429", "^", "--"), ("grr", "#a55c12", "s", "--"), ("pm", "#7d55c7", "d", "--"),
        ("grr-pm", "#b07aa1", "v", ":"), ("pm-em", "#2a6fdb", "o", "-"),
        ("pm-mr", "#e0353f", "P", "-"), (conditional.MIDDLE, "#9a9a9a", "x", ":"),
    )
}  # fmt: skip
_MECHANISMS = {"laplace": ("Laplace", "#8c8c8c"), "pm": ("PM", "#2a6fdb"), "sw": ("SW", "#e0353f")}
_FITS = {"em": ("EM", "o", "-"), "mr": ("MR", "P", "--"), "ems": ("EMS", "*", ":")}
NUMBERS = {
    f"{name}-{fit}": Style(f"{called}, {title}", color, marker, dash)
    for name, (called, color) in _MECHANISMS.items()
    for fit, (title, marker, dash) in _FITS.items()
}
_ORACLES = {"grr": "#e0353f", "olh": "#2a6fdb"}
_PARTS = {"mr": ("measured", "o", "-"), "predicted": ("predicted", "s", "--"), "part": ("K'/K of EM", "x", ":")}  # fmt: skip
PREDICTIONS = {
    f"{oracle}-{part}": Style(f"{oracle.upper()}, {title}", color, marker, dash)
    for oracle, color in _ORACLES.items()
    for part, (title, marker, dash) in _PARTS.items()
}
MEANS = {
    line: Style(title, color, marker, dash)
    for line, title, color, marker, dash in (
        ("sr", "SR, plain average", "#a55c12", "s", "--"),
        ("pm", "PM, plain average", "#8c8c8c", "x", "-"),
        ("laplace", "Laplace, plain average", "#b07aa1", "d", "--"),
        ("sw-ems", "SW, EMS", "#7d55c7", "*", "-"), ("pm-em", "PM, EM", "#2a6fdb", "o", "-"),
        ("pm-mr", "PM, MR", "#e0353f", "P", "-"), ("pm-clipped", "PM, clipped", "#17a2b8", "v", ":"),
        ("pm-bounded", "PM, within bounds (ours)", "#2a9d5c", "o", "-"),
        ("pm-adaptive", "PM, adaptive (ours)", "#1e8449", "<", "--"),
    )
}  # fmt: skip
PASSES = {**STYLES, "em": Style("EM", *_LOOKS["em"])}


@dataclass(frozen=True)
class Panel:
    """A curve, those of its lines that are drawn, and what stands beside them."""

    curve: Curve
    methods: tuple[str, ...]
    heading: str
    labels: tuple[str, str]
    styles: Mapping[str, Style]
    spread_out: bool = False
    """Whether places along the curve are on a logarithmic scale."""
    truth: Floats | None = field(default=None, compare=False)
    """Drawn in black, all on a scale that has room for 0."""
    ticks: tuple[float, ...] = ()
    """Places that are marked, where those of the curve do not suit."""
    boxes_at: float | None = None
    """Boxes of all repeats at this place instead of lines."""
    sources: tuple[Curve, ...] = ()
    """Where the lines come from, if not from one curve."""

    @property
    def numbers(self) -> tuple[Curve, ...]:
        """The curves behind the panel."""
        return self.sources or (self.curve,)


def draw(panel: Panel, axes: Any = None) -> Any:
    """One panel, as a figure of its own or into ``axes``."""
    if panel.boxes_at is not None:
        return _draw_boxes(panel, panel.boxes_at, axes)
    drawn = draw_curves(
        panel.curve, panel.methods, panel.styles, title=panel.heading, labels=panel.labels,
        bands=False, axes=axes,
    )  # fmt: skip
    inner = drawn.axes[0] if axes is None else axes
    if panel.truth is not None:
        inner.set_yscale("symlog", linthresh=1e-3)
        inner.plot(panel.curve.xs, panel.truth, "-", color="black", linewidth=1.2, label="truth")
    if panel.spread_out:
        inner.set_xscale("log")
        inner.minorticks_off()
    if panel.ticks:
        inner.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
    if panel.curve.by == "passes":
        for line in inner.get_lines()[1:]:  # reductions do not go along
            line.set_marker("")
    return drawn


def _draw_boxes(panel: Panel, x: float, axes: Any) -> Any:
    """A box a line: quartiles, whiskers, the median, and a square at the mean."""
    figure = None
    if axes is None:
        figure, grown = grid(1, 1, (4.6, 3.7))
        axes = grown[0, 0]
    errors = [panel.curve.at(x, line) for line in panel.methods]
    looks = {
        "marker": "s",
        "markersize": 5,
        "markerfacecolor": "#2a6fdb",
        "markeredgecolor": "none",
    }
    axes.boxplot(
        errors, showmeans=True, meanprops=looks, flierprops={"markersize": 2, "alpha": 0.5},
        medianprops={"color": "#e0353f"},
    )  # fmt: skip
    axes.axhline(0, color="#2a9d5c", linewidth=1)
    names = [panel.styles[line].title.partition(" (")[0] for line in panel.methods]
    names = [name.replace(", plain average", "").replace(", ", "\n") for name in names]
    axes.set_xticks(range(1, len(names) + 1), names, fontsize=7)
    axes.set_title(panel.heading, loc="left", fontsize=10)
    axes.set_ylabel(panel.labels[1])
    axes.grid(alpha=0.2, linewidth=0.6, axis="y")
    return axes if figure is None else figure

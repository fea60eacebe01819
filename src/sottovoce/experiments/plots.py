"""Pictures of curves and of cells: drawn once, as SVG for a page or PNG for the docs.

SVG text and axes take the color of the text around them, so a page may be
light or dark.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from sottovoce.base.extras import optional
from sottovoce.experiments.curves import Curve

__all__ = ["Style", "draw_curves", "draw_ratios", "gallery", "grid", "png", "svg"]

_INK = "#0a0b0c"
"""Stands for the color of text; in SVG it is replaced by that of the page."""
_COLORS = 256
_WIDE = 3.0
"""Ratios above this are drawn on a logarithmic scale."""
Panel = TypeVar("Panel")
_RULES = {
    "font.size": 9.5, "font.family": "sans-serif", "svg.fonttype": "none",
    "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK,
    "xtick.color": _INK, "ytick.color": _INK, "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How a method is drawn, and what it is called."""

    title: str
    color: str
    marker: str = "o"
    line: str = "-"
    width: float = 1.4


Series = tuple[Sequence[float], Sequence[float], Style]
"""Ratios (not drawn where they are no numbers), their standard errors, and a style."""


def draw_curves(
    curve: Curve,
    methods: Sequence[str],
    styles: Mapping[str, Style],
    *,
    xs: Sequence[float] | None = None,
    title: str = "",
    labels: tuple[str, str] = ("", ""),
    bands: bool = True,
    axes: Any = None,
) -> Any:
    """One panel: a line a method on a logarithmic scale, with a band of one standard deviation.

    With many methods, bands hide lines: ``bands=False``.  Returns the figure, or draws into ``axes`` and returns them.
    """
    with _rules():
        figure = None
        if axes is None:
            figure = _figure((4.6, 3.7))  # fixed margins: fitting them takes longer than drawing
            axes = figure.add_axes((0.155, 0.3, 0.83, 0.63))
        shown = [i for i, x in enumerate(curve.xs) if xs is None or x in xs]
        along = [curve.xs[i] for i in shown]
        for method in methods:
            column, style = curve.methods.index(method), styles[method]
            mean, spread = curve.means[shown, column], curve.deviations[shown, column]
            axes.plot(
                along, mean, style.line, color=style.color, marker=style.marker, markersize=4,
                linewidth=style.width, label=style.title,
            )  # fmt: skip
            if not bands:
                continue
            factor = np.exp(spread / mean)  # on this scale a deviation is a factor
            axes.fill_between(
                along, mean / factor, mean * factor, color=style.color, alpha=0.15, linewidth=0
            )
        axes.set_yscale("log")
        axes.set_xticks(along[:: 1 if len(along) <= 10 else 3])
        _sparse_ticks(axes)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(alpha=0.2, linewidth=0.6)
        if figure is None:
            return axes
        figure.legend(loc="lower center", ncols=3, frameon=False, fontsize=8.5)
        return figure


def _sparse_ticks(axes: Any) -> None:
    """Few ticks in plain text on the logarithmic axis, whatever its range."""
    ticker = optional("matplotlib.ticker", extra="analyse", purpose="a reproduction's pictures")
    low, high = axes.get_ylim()
    steps: tuple[int, ...] = (1,) if high > 300 * low else (1, 3) if high > 30 * low else (1, 2, 5)
    if high < 3 * low:
        steps = tuple(range(1, 10))
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=steps))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0e}".replace("e-0", "e-"))


def draw_ratios(
    names: Sequence[str],
    series: Mapping[str, Series],
    *,
    title: str = "",
    label: str = "",
) -> Any:
    """A row a name, a mark a series with its error bar, and a line at 1."""
    with _rules():
        height = 1.3 + 0.21 * len(names)
        figure = _figure((4.6, height))
        axes = figure.add_axes((0.28, 0.85 / height, 0.7, 1 - 1.2 / height))
        axes.axvline(1, color=_INK, linewidth=0.8)
        for ratios, errors, style in series.values():
            axes.errorbar(
                ratios, range(len(names)), xerr=[2 * e for e in errors], fmt=style.marker,
                color=style.color, markersize=5, linewidth=1.2, label=style.title,
            )  # fmt: skip
        shown = [r for ratios, _, _ in series.values() for r in ratios if math.isfinite(r)]
        if max(shown) > _WIDE:
            axes.set_xscale("log")
            axes.set_xticks([0.5, 1, 2, 5, 10, 20, 50, 100, 200], minor=False)
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
            axes.minorticks_off()
            axes.set_xlim(0.9 * min(shown), 1.3 * max(shown))
        else:
            axes.locator_params(axis="x", nbins=5)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel(label)
        axes.grid(alpha=0.2, axis="x", linewidth=0.6)
        figure.legend(loc="lower center", ncols=2, frameon=False, fontsize=8.5)
        return figure


def grid(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """A figure of several panels, and its axes; for pictures that stand alone."""
    with _rules():
        figure = _figure(size, layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False)


def gallery(
    panels: Sequence[Panel],
    draw: Callable[[Panel, Any], object],
    *,
    columns: int,
    width: float = 2.4,
    legend: int = 6,
) -> Any:
    """All panels in one picture, drawn by ``draw(panel, axes)``, under them one legend in so many columns."""
    lines = -(-len(panels) // columns)
    whole, axes = grid(lines, columns, (2.6 + width * columns, 0.7 + 2.4 * lines))
    for panel, place in zip(panels, axes.flat, strict=False):
        draw(panel, place)
    for place in axes.flat[len(panels) :]:
        place.set_visible(False)
    labels: dict[str, Any] = {}
    for place in axes.flat[: len(panels)]:
        for handle, label in zip(*place.get_legend_handles_labels(), strict=True):
            labels.setdefault(label, handle)
    whole.legend(
        labels.values(), labels.keys(), loc="outside lower center", ncols=legend,
        frameon=False, fontsize=9,
    )  # fmt: skip
    return whole


def png(figure: Any, *, dpi: int = 110) -> bytes:
    """The picture as PNG, on white, in few colors: a third of the bytes."""
    drawn, packed = io.BytesIO(), io.BytesIO()
    with _rules():
        figure.savefig(drawn, dpi=dpi, format="png", facecolor="white")
    images = optional("PIL.Image", extra="analyse", purpose="a reproduction's pictures")
    few = images.open(drawn).convert("RGB").quantize(_COLORS)
    few.save(packed, format="png", optimize=True)
    return packed.getvalue()


def svg(figure: Any, name: str) -> str:
    """The picture as an SVG element; ``name`` keeps its inner ids apart from those of others."""
    buffer = io.StringIO()
    with _rules(**{"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'id="([^"]*)"', lambda m: f'id="{name}-{m[1]}"', text)
    text = re.sub(r"(href=\"|url\()#", lambda m: f"{m[1]}#{name}-", text)
    return text.replace(_INK, "currentColor")


def _figure(size: tuple[float, float], layout: str = "none") -> Any:
    figures = optional("matplotlib.figure", extra="analyse", purpose="a reproduction's pictures")
    return figures.Figure(figsize=size, layout=layout)


def _rules(**more: str) -> Any:
    library = optional("matplotlib", extra="analyse", purpose="a reproduction's pictures")
    return library.rc_context({**_RULES, **more})

"""A picture of a trend: the answer of every window, the smoothed line, and what stands out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.about import whole_of
from sottovoce.base.text import label_text
from sottovoce.plots.figures import bars_around, figure_with_axes
from sottovoce.plots.numbers import INK, PALE, TRUTH

if TYPE_CHECKING:
    from sottovoce.answers.series import Series

__all__ = ["draw_trend"]

_SHIFT = "#b5452c"
_MOST_NAMES = 12
"""Windows up to which each is named on the axis."""


def draw_trend(series: Series, *, confidence: float, title: str, truth: Any, ax: Any = None) -> Any:
    """Answers with their intervals, a band around the smoothed line, shifts in another colour."""
    figure, axes = figure_with_axes(7.2, 3.6, purpose="Series.plot", ax=ax)
    at = np.arange(len(series.windows))
    value, low, high = (
        np.array([getattr(one, name) for one in series.answers])
        for name in ("value", "low", "high")
    )
    if len(at) > 2:
        smoothed = series.smoothed(confidence=confidence)
        band = [[getattr(one, name) for one in smoothed] for name in ("low", "high")]
        axes.fill_between(at, *band, color=PALE, alpha=0.6, linewidth=0)
        line = [one.value for one in smoothed]
        axes.plot(at, line, color=INK, linewidth=1.4, label=f"smoothed, {confidence:.0%}")
    shifted = np.any([np.zeros(len(at), dtype=bool), *map(series.within, series.shifts())], axis=0)
    for here, color, label in (
        (~shifted, INK, "window"),
        (shifted, _SHIFT, "differs from the others"),
    ):
        if here.any():
            axes.errorbar(
                at[here], value[here], yerr=bars_around(value, low, high)[:, here], fmt="o",
                color=color, markersize=5, capsize=3, linewidth=1.2, label=label,
            )  # fmt: skip
    if truth is not None:
        axes.plot(at, np.asarray(truth, dtype=np.float64), "x", color=TRUTH, label="truth")
    step = -(-len(at) // _MOST_NAMES)
    axes.set_xticks(at[::step], list(series.windows)[::step], rotation=30, ha="right")
    axes.set_ylabel(f"{label_text(series.label)} ({whole_of(series.about)})")
    axes.set_title(title or f"{sum(series.reports):,} reports in {len(at)} windows", loc="left", fontsize="medium")  # fmt: skip
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize="small")
    return figure

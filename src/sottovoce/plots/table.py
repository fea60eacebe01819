"""Pictures of tables of two questions: a heat map with numbers, and bars of percentages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers.about import share_of
from sottovoce.answers.records.table_html import NOT_ENOUGH, percent
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.plots.figures import new_figure

if TYPE_CHECKING:
    from sottovoce.answers.tables import Table

__all__ = ["TABLE_KINDS", "draw_table"]

TABLE_KINDS = ("heat", "stacked")
_MOST_NUMBERS = 144
"""Cells up to which a heat map has their numbers."""
_MOST_CELLS = 2_500


def draw_table(
    table: Table,
    kind: str = "heat",
    *,
    of: str | None = None,
    confidence: float = 0.95,
    title: str = "",
) -> Any:
    """A figure of the shares, or with ``of`` of those within every answer to that question.

    ``"heat"`` colors every cell by its share and writes it there with its interval; ``"stacked"`` has a bar
    of 100% per answer to ``of``, the first question unless given.
    """
    check_choice(kind, "kind", "plot of a table", TABLE_KINDS)
    if of is not None and of not in table.names:
        raise InvalidInput("of", "plot of a table", f"one of {', '.join(table.names)}", of)
    if table.shares.size > _MOST_CELLS:
        raise Unfit(f"a plot takes at most {_MOST_CELLS} cells; this table has {table.shares.size}")
    heading = title or f"{table.n:,} reports about {table.names[0]} and {table.names[1]}"
    draw = _draw_heat if kind == "heat" else _draw_stacked
    return draw(table, of, confidence, heading)


def _labels(table: Table, axis: int) -> list[str]:
    return [label_text(label) for label in table.domains[axis].labels()]


def _cells(table: Table, of: str | None, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Shares with their bounds, a row per answer to the first question; not a number where unknown."""
    frame = (
        table.frame(confidence=confidence)
        if of is None
        else table.percentages(of, confidence=confidence)
    )
    shape = table.shares.shape if of in (None, table.names[0]) else table.shares.shape[::-1]
    found = [np.array(frame[k], dtype=np.float64).reshape(shape) for k in ("share", "low", "high")]
    shares, low, high = found if of in (None, table.names[0]) else (one.T for one in found)
    return shares, low, high


def _draw_heat(table: Table, of: str | None, confidence: float, title: str) -> Any:
    shares, low, high = _cells(table, of, confidence)
    rows, columns = shares.shape
    figure = new_figure(
        2.6 + 1.05 * min(columns, 14), 1.9 + 0.55 * min(rows, 16), purpose="Table.plot"
    )
    axes = figure.add_subplot()
    shown = np.clip(np.nan_to_num(shares), 0.0, 1.0)
    image = axes.imshow(shown, cmap="Blues", aspect="auto", vmin=0.0, vmax=max(shown.max(), 1e-9))
    axes.set_xticks(range(columns), _labels(table, 1), rotation=30 if columns > 6 else 0)
    axes.set_yticks(range(rows), _labels(table, 0))
    axes.set_xlabel(table.names[1])
    axes.set_ylabel(table.names[0])
    if shares.size <= _MOST_NUMBERS:
        for row, column in np.ndindex(rows, columns):
            bright = shown[row, column] > 0.55 * shown.max()
            text = _text(*(float(one[row, column]) for one in (shares, low, high)))
            color = "white" if bright else "#1b1b1b"
            axes.text(column, row, text, ha="center", va="center", color=color, fontsize="x-small")
    what = share_of(table.about) if of is None else f"share within {of}"
    figure.colorbar(image, ax=axes, label=what)
    return _finish(figure, axes, title)


def _text(share: float, low: float, high: float) -> str:
    if np.isnan(share):
        return NOT_ENOUGH.replace(" ", "\n", 1)
    return f"{percent(share)}\n{100 * low:.1f} to {100 * high:.1f}"


def _draw_stacked(table: Table, of: str | None, confidence: float, title: str) -> Any:
    name = of or table.names[0]
    axis = table.names.index(name)
    shares, *_ = _cells(table, name, confidence)
    parts = shares if axis == 0 else shares.T
    groups, answers = _labels(table, axis), _labels(table, 1 - axis)
    figure = new_figure(7.2, 1.9 + 0.42 * len(groups), purpose="Table.plot")
    axes = figure.add_subplot()
    colors = _colors(len(answers))
    positive = np.maximum(np.nan_to_num(parts), 0.0)
    total = positive.sum(axis=1, keepdims=True)
    widths = np.divide(positive, total, out=np.zeros_like(positive), where=total > 0)
    ends = np.cumsum(widths, axis=1)
    for answer, label in enumerate(answers):
        start = ends[:, answer] - widths[:, answer]
        axes.barh(groups, widths[:, answer], left=start, color=colors[answer], label=label)
        for row, width in enumerate(widths[:, answer].tolist()):
            if width >= 0.07:  # narrower parts have no room
                axes.text(
                    float(start[row]) + width / 2, row, f"{100 * parts[row, answer]:.0f}%",
                    ha="center", va="center", fontsize="x-small",
                    color="white" if sum(colors[answer][:3]) < 1.5 else "#1b1b1b",
                )  # fmt: skip
    for row in np.flatnonzero(total[:, 0] == 0).tolist():
        axes.text(0.5, row, NOT_ENOUGH, ha="center", va="center", fontsize="small", color="#666666")
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 6), [f"{part}%" for part in range(0, 101, 20)])
    axes.set_xlabel(f"share within {name}")
    axes.set_ylabel(name)
    figure.legend(
        *axes.get_legend_handles_labels(), title=table.names[1 - axis], frameon=False,
        fontsize="small", loc="outside right upper",
    )  # fmt: skip
    return _finish(figure, axes, title)


def _colors(count: int) -> list[tuple[float, ...]]:
    """From dark to light, as many as there are answers."""
    import matplotlib as mpl

    return [mpl.colormaps["viridis"](place) for place in np.linspace(0.08, 0.95, max(count, 2))]


def _finish(figure: Any, axes: Any, title: str) -> Any:
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    return figure

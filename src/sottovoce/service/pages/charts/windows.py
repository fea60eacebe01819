"""Reports over windows of time: columns, with those that are held back hatched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.axes import Plot, down
from sottovoce.service.pages.charts.drawing import add, markup, part, path, picture, sheet, text
from sottovoce.service.pages.charts.labels import cut, plain, width
from sottovoce.service.pages.charts.numbers import compact, number
from sottovoce.service.pages.charts.scales import Scale, finite

__all__ = ["Column", "columns", "window_labels"]

MOST_COLUMNS = 400
TOP, HEIGHT, STRIP, FOOT = 28, 160, 7, 24  # pixels: above, the plot, marks of held-back, labels
LEGEND = 20
_TOLD = 60  # columns up to which each says its number when pointed at
_PARTED = 120  # columns up to which gaps part them
_GAP = 0.15  # of a column
_LABEL = 12  # columns of text a window's label may have
_DIGIT, _SPACE = 7, 14  # pixels of a digit, and between two labels
_LAST = 0.95  # of the width: a label beyond would leave the picture
_NARROW, _WIDE = 260, 540  # pixels of plots on a phone and beside a table


@dataclass(frozen=True)
class Column:
    """A window: its name, its reports, and whether they suffice to be answered."""

    label: str
    count: float
    shown: bool


def columns(rows: Sequence[Column], *, name: str, title: str, description: str) -> Markup:
    """The reports of each window; windows below their minimum batch are hatched, and marked below.

    The mark under the axis is there however few reports the window has, so a window that is held
    back is never mistaken for one without reports.
    """
    owner = "chart columns"
    if not 1 <= len(rows) <= MOST_COLUMNS:
        raise InvalidInput("rows", owner, f"1 to {MOST_COLUMNS} windows", f"{len(rows)} windows")
    known = [Column(plain(row.label), finite(row.count, "count", owner), row.shown) for row in rows]
    fewest = min(row.count for row in known)
    if fewest < 0:
        raise InvalidInput("count", owner, "at least 0", fewest)
    held = [position for position, row in enumerate(known) if not row.shown]
    top = TOP + LEGEND if held else TOP
    scale_y = Scale.covering([0.0, *(row.count for row in known)], 4)
    whole = tuple(tick for tick in scale_y.ticks if tick == round(tick))  # no half reports
    scale_y = replace(scale_y, ticks=whole)
    plot = Plot(Scale(0, len(rows), (), 1), scale_y, top, HEIGHT)
    height = plot.bottom + STRIP + FOOT
    svg = picture("columns", height, name=name, title=title, description=description, axis=True)
    text(svg, "reports", x=-52, y=12, class_="tick")
    if held:
        _hatch(svg, name)
        _legend(svg, name)
    down(svg, plot, [compact(tick) for tick in scale_y.ticks])
    if len(known) > _PARTED:
        _silhouette(svg, plot, known)
    for position, row in enumerate(known):
        if len(known) <= _PARTED or not row.shown:
            _column(svg, plot, position, row, name=name)
    for first, last in _runs(held):
        x, width = part(first / len(rows)), part((last - first) / len(rows))
        add(
            svg,
            "rect",
            x=x,
            y=plot.bottom + 2,
            width=width,
            height=STRIP - 2,
            fill=f"url(#{name}-hatch)",
            class_="held",
        )
    window_labels(svg, [row.label for row in known], height - 6)
    return markup(svg)


def _column(svg: Element, plot: Plot, position: int, row: Column, *, name: str) -> None:
    whole = plot.scale_x.high
    gap = _GAP if whole <= _PARTED else 0.0
    y = float(plot.y(row.count))
    box = add(
        svg,
        "rect",
        x=part((position + gap / 2) / whole),
        y=y,
        width=part((1 - gap) / whole),
        height=plot.bottom - y,
        class_="fill" if row.shown else "held",
    )
    if not row.shown:
        box.set("fill", f"url(#{name}-hatch)")
    if whole <= _TOLD:
        note = "" if row.shown else ", suppressed"
        add(box, "title", f"{row.label}: {number(row.count)} reports{note}")


def _silhouette(svg: Element, plot: Plot, rows: Sequence[Column]) -> None:
    """All answered windows as one path, without seams between columns thinner than a pixel."""
    answered = [position for position, row in enumerate(rows) if row.shown]
    drawn = []
    for first, last in _runs(answered):
        steps = [f"V{plot.y(rows[at].count)}H{plot.x(at + 1)}" for at in range(first, last)]
        drawn.append(f"M{plot.x(first)} {plot.bottom}{''.join(steps)}V{plot.bottom}z")
    path(sheet(svg, plot.bottom), "".join(drawn), "fill")


def _hatch(svg: Element, name: str) -> None:
    pattern = add(
        svg,
        "pattern",
        id=f"{name}-hatch",
        width=5,
        height=5,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    add(pattern, "rect", width=5, height=5, class_="under")
    add(pattern, "rect", width=1.6, height=5, class_="hatch")


def _legend(svg: Element, name: str) -> None:
    y = TOP - 2
    add(svg, "rect", x=-52, y=y, width=11, height=11, class_="fill")
    text(svg, "answered", x=-36, y=y + 10, class_="tick")
    add(
        svg,
        "rect",
        x=28,
        y=y,
        width=11,
        height=11,
        fill=f"url(#{name}-hatch)",
        class_="held",
    )
    text(svg, "suppressed: too few reports", x=44, y=y + 10, class_="tick")


def _runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Neighbors joined: the first of each run, and one past its last.

    >>> _runs([0, 1, 2, 5])
    [(0, 3), (5, 6)]
    """
    runs: list[tuple[int, int]] = []
    for position in positions:
        if runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return runs


def window_labels(svg: Element, names: Sequence[str], y: float) -> None:
    """As many names as fit; those a phone has no room for are hidden there by the stylesheet."""
    cuts = [cut(name, _LABEL, _LABEL) for name in names]
    written = [f"{head}…" if shortened else head for head, _, shortened in cuts]
    needs = _DIGIT * max(map(width, written)) + _SPACE
    every = math.ceil(len(names) / max(1, _WIDE // needs))
    seldom = every * math.ceil(len(names) / every / max(1, _NARROW // needs))
    for position in range(0, len(names), every):
        share = (position + 0.5) / len(names)
        if position == 0 or share < _LAST:
            kind = "tick" if position % seldom == 0 else "tick rest"
            text(svg, written[position], x=part(share), y=y, text_anchor="middle", class_=kind)

"""Answers over windows: lines with bands, one of which stands out, and windows that differ from the rest.

Windows without an answer break a line: a gap is seen as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.axes import Plot, down, number_ticks, percent_ticks
from sottovoce.service.pages.charts.drawing import add, markup, part, path, picture, sheet, text
from sottovoce.service.pages.charts.labels import cut, plain
from sottovoce.service.pages.charts.scales import Scale, finite
from sottovoce.service.pages.charts.windows import window_labels

__all__ = ["Point", "Trail", "trails"]

MOST_WINDOWS, MOST_LINES = 400, 6
TOP, HEIGHT, FOOT, LEGEND = 24, 240, 28, 20
_DASHES = ("8 4", "2 4", "10 4 2 4", "14 5", "5 3 1 3")
_NAME = 36
_DOTTED = 60  # windows up to which every one has a dot


@dataclass(frozen=True)
class Point:
    """An answer with its interval, and what it says when pointed at."""

    value: float
    low: float
    high: float
    told: str = ""


@dataclass(frozen=True)
class Trail:
    """A name, and a point for every window; None where a window has none."""

    label: str
    points: tuple[Point | None, ...]


def trails(
    windows: Sequence[str],
    first: Trail,
    others: Sequence[Trail] = (),
    *,
    name: str,
    title: str,
    description: str,
    down_is: str,
    form: str = "percent",
    before: Sequence[float | None] = (),
    before_is: str = "",
    marked: Mapping[int, str] | None = None,
) -> Markup:
    """The first line stands out, with its band; the others are thin, and told apart by dashes.

    ``before`` is the first line a period earlier, ``marked`` a word for windows that differ.
    """
    owner, every = "chart trails", [first, *others]
    if not 1 <= len(windows) <= MOST_WINDOWS or len(every) > MOST_LINES:
        allowed = f"1 to {MOST_WINDOWS} windows and at most {MOST_LINES} lines"
        raise InvalidInput("windows", owner, allowed, f"{len(windows)} windows, {len(every)} lines")
    if any(len(each.points) != len(windows) for each in every):
        raise InvalidInput("points", owner, f"one for each of {len(windows)} windows", "others")
    marks = marked or {}
    values = _values(every, before, owner)
    rows = len(every) + bool(before_is) + bool(marks)
    scale = Scale.covering(values, 5)
    plot = Plot(Scale(0, len(windows), (), 1), scale, TOP + LEGEND * rows, HEIGHT)
    height = plot.bottom + FOOT
    svg = picture("trails", height, name=name, title=title, description=description, axis=True)
    _legend(svg, every, before_is, marks)
    text(svg, plain(down_is), x=-52, y=plot.top - 10, class_="tick")
    for start, stop in _spans(marks):
        x, width = part(start / len(windows)), part((stop - start) / len(windows))
        add(svg, "rect", x=x, y=plot.top, width=width, height=plot.height, class_="shifted")
    down(svg, plot, (percent_ticks if form == "percent" else number_ticks)(scale))
    drawing = sheet(svg, plot.bottom)
    for each in others:
        path(drawing, _band(plot, each.points), "faint")
    path(drawing, _band(plot, first.points), "band")
    for each, dashes in zip(others, _DASHES, strict=False):
        drawn = _line(plot, _middle(each))
        if drawn:
            add(drawing, "path", d=drawn, class_="other", stroke_dasharray=dashes)
    path(drawing, _line(plot, before), "ghost")
    path(drawing, _line(plot, _middle(first)), "line")
    _dots(svg, plot, first.points, marks)
    window_labels(svg, [plain(each) for each in windows], height - 8)
    return markup(svg)


def _values(every: Sequence[Trail], before: Sequence[float | None], owner: str) -> list[float]:
    """All that is drawn, if it can be."""
    points = [point for each in every for point in each.points if point is not None]
    if not points:
        raise InvalidInput("points", owner, "at least one", "none")
    ends = [end for point in points for end in (point.value, point.low, point.high)]
    return [finite(end, "points", owner) for end in (*ends, *(x for x in before if x is not None))]


def _middle(trail: Trail) -> list[float | None]:
    return [None if point is None else point.value for point in trail.points]


def _at(plot: Plot, index: int, value: float) -> str:
    return f"{plot.x(index + 0.5)} {plot.y(value)}"


def _runs(points: Sequence[object]) -> list[range]:
    """Indices of points that follow each other without a gap.

    >>> _runs([1, 2, None, 3])
    [range(0, 2), range(3, 4)]
    """
    runs: list[range] = []
    for index, point in enumerate(points):
        if point is None:
            continue
        if runs and runs[-1].stop == index:
            runs[-1] = range(runs[-1].start, index + 1)
        else:
            runs.append(range(index, index + 1))
    return runs


def _line(plot: Plot, values: Sequence[float | None]) -> str:
    drawn = ""
    for run in _runs(values):
        places = [_at(plot, index, values[index] or 0.0) for index in run]
        drawn += f"M{'L'.join(places)}"
    return drawn


def _band(plot: Plot, points: Sequence[Point | None]) -> str:
    """The area between both ends of the intervals; a window alone has a stroke."""
    drawn = ""
    for run in _runs(points):
        known = [(index, point) for index in run if (point := points[index]) is not None]
        there = [_at(plot, index, point.high) for index, point in known]
        back = [_at(plot, index, point.low) for index, point in reversed(known)]
        drawn += f"M{'L'.join([*there, *back])}z"
    return drawn


def _spans(marks: Mapping[int, str]) -> list[tuple[int, int]]:
    """Marked windows that follow each other with one word: the first, and one past the last."""
    spans: list[tuple[int, int]] = []
    for index in sorted(marks):
        if spans and spans[-1][1] == index and marks[index] == marks[index - 1]:
            spans[-1] = (spans[-1][0], index + 1)
        else:
            spans.append((index, index + 1))
    return spans


def _dots(
    svg: Element, plot: Plot, points: Sequence[Point | None], marks: Mapping[int, str]
) -> None:
    few = len(points) <= _DOTTED
    for index, point in enumerate(points):
        if point is None or not (few or index in marks):
            continue
        kind, radius = ("shift", 5) if index in marks else ("dot", 4)
        x = part((index + 0.5) / len(points))
        circle = add(svg, "circle", cx=x, cy=plot.y(point.value), r=radius, class_=kind)
        if point.told:
            add(circle, "title", plain(point.told))
    for start, stop in _spans(marks):
        middle = points[(start + stop - 1) // 2]
        if middle is not None:
            share = (start + stop) / 2 / len(points)
            anchor = "start" if share < 0.06 else "end" if share > 0.94 else "middle"
            text(
                svg, plain(marks[start]), x=part(share), y=plot.top + 14, text_anchor=anchor,
                class_="shift-label",
            )  # fmt: skip


def _legend(svg: Element, every: Sequence[Trail], before_is: str, marks: Mapping[int, str]) -> None:
    rows: list[tuple[str, str, str]] = [("line", "none", every[0].label)]
    rows += [
        ("other", dashes, each.label) for each, dashes in zip(every[1:], _DASHES, strict=False)
    ]
    rows += [("ghost", "", before_is)] if before_is else []
    for row, (kind, dashes, label) in enumerate(rows):
        y = 10 + LEGEND * row
        sample = add(svg, "line", x1=-52, x2=-16, y1=y, y2=y, class_=kind)
        if dashes:
            sample.set("stroke-dasharray", dashes)
        pieces = cut(plain(label), _NAME, _NAME)
        written = pieces.head + ("…" if pieces.shortened else "")
        text(svg, written, x=-8, y=y + 4, class_="chosen" if row == 0 else "tick")
    if marks:
        y = 10 + LEGEND * len(rows)
        add(svg, "rect", x=-52, y=y - 7, width=36, height=14, class_="shifted")
        add(svg, "circle", cx=-34, cy=y, r=5, class_="shift")
        text(svg, "differs from the other windows", x=-8, y=y + 4, class_="tick")

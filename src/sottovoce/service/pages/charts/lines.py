"""Several lines on axes of logarithms, told apart by their dashes as well as by a legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.axes import Plot, across, down, stubs
from sottovoce.service.pages.charts.drawing import add, markup, part, picture, sheet, text
from sottovoce.service.pages.charts.labels import cut, plain
from sottovoce.service.pages.charts.scales import Scale, finite

__all__ = ["Line", "lines"]

MOST_LINES, MOST_POINTS = 6, 256
TOP, HEIGHT, FOOT, LEGEND = (
    24,
    240,
    44,
    20,
)  # pixels: above, the plot, ticks and name, a legend's row
_DASHES = ("none", "8 4", "2 4", "10 4 2 4", "14 5", "5 3 1 3")
_MOST_TICKS = 6
_NAME = 44


@dataclass(frozen=True)
class Line:
    """A name, and points ``(x, y)`` of positive numbers, x rising."""

    label: str
    points: tuple[tuple[float, float], ...]


def lines(
    series: Sequence[Line],
    *,
    name: str,
    title: str,
    description: str,
    across_is: str,
    down_is: str,
    write_x: Callable[[float], str],
    write_y: Callable[[float], str],
    mark: float | None = None,
) -> Markup:
    """Lines on logarithmic axes; ``mark`` is a place across that is pointed out."""
    owner = "chart lines"
    if not 1 <= len(series) <= MOST_LINES:
        raise InvalidInput("series", owner, f"1 to {MOST_LINES} lines", f"{len(series)} lines")
    known = [_checked(line, owner) for line in series]
    places = [x for line in known for x, _ in line.points]
    heights = [y for line in known for _, y in line.points]
    plot = Plot(_scale(places), _scale(heights), TOP + LEGEND * len(known), HEIGHT)
    height = plot.bottom + FOOT
    svg = picture("lines", height, name=name, title=title, description=description, axis=True)
    for row, (line, dashes) in enumerate(zip(known, _DASHES, strict=False)):
        y = 10 + LEGEND * row
        add(svg, "line", x1=-52, x2=-16, y1=y, y2=y, class_="line", stroke_dasharray=dashes)
        pieces = cut(plain(line.label), _NAME, _NAME)
        text(svg, pieces.head + ("…" if pieces.shortened else ""), x=-8, y=y + 4)
    text(svg, plain(down_is), x=-52, y=plot.top - 12, class_="tick")
    down(svg, plot, [write_y(10**tick) for tick in plot.scale_y.ticks])
    stubs(svg, plot)
    ticks = [write_x(10**tick) for tick in plot.scale_x.ticks]
    across(svg, plot.scale_x, ticks, plot.bottom + 20, margin=True)
    text(svg, plain(across_is), x="50%", y=plot.bottom + 38, text_anchor="middle", class_="tick")
    drawing = sheet(svg, plot.bottom + 1)
    for line, dashes in zip(known, _DASHES, strict=False):
        drawn = "L".join(f"{plot.x(math.log10(x))} {plot.y(math.log10(y))}" for x, y in line.points)
        add(drawing, "path", d=f"M{drawn}", class_="line", stroke_dasharray=dashes)
    if mark is not None:
        share = part(plot.scale_x.share(math.log10(finite(mark, "mark", owner))))
        add(svg, "line", x1=share, x2=share, y1=plot.top, y2=plot.bottom, class_="foot")
    return markup(svg)


def _checked(line: Line, owner: str) -> Line:
    if not 2 <= len(line.points) <= MOST_POINTS:
        allowed = f"2 to {MOST_POINTS} points"
        raise InvalidInput("points", owner, allowed, f"{len(line.points)} points")
    known = tuple((finite(x, "points", owner), finite(y, "points", owner)) for x, y in line.points)
    if min(min(point) for point in known) <= 0:
        raise InvalidInput("points", owner, "positive numbers", min(min(p) for p in known))
    return Line(line.label, known)


def _scale(values: Iterable[float]) -> Scale:
    """In powers of ten, with ticks at 1, 2 and 5 times such powers, as many as are easily read."""
    known = list(values)
    low, high = math.log10(min(known)), math.log10(max(known))
    if high - low < 0.1:
        low, high = low - 0.15, high + 0.15
    powers = range(math.floor(low) - 1, math.ceil(high) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [power + math.log10(step) for power in powers for step in steps]
        inside = tuple(tick for tick in ticks if low - 1e-9 <= tick <= high + 1e-9)
        if len(inside) <= _MOST_TICKS:
            return Scale(low, high, inside, 1.0)
    return Scale(low, high, inside[:: -(-len(inside) // _MOST_TICKS)], 1.0)

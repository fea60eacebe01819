"""Charts of numbers: the histogram with its intervals, and the cumulative curve with its band."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from xml.etree.ElementTree import Element

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.axes import (
    Plot,
    across,
    down,
    legible,
    number_ticks,
    percent_ticks,
    power_ticks,
    stubs,
)
from sottovoce.service.pages.charts.drawing import add, markup, part, path, picture, sheet, text
from sottovoce.service.pages.charts.numbers import decimals, number
from sottovoce.service.pages.charts.scales import Scale, ordered, series

__all__ = ["curve", "histogram"]

MOST_COLUMNS = 256
MOST_POINTS = 2049
MOST_QUANTILES = 12  # their words fit below each other
TOP, HEIGHT, FOOT = 28, 240, 26  # pixels: above the plot, the plot, its ticks
_LEFT = 0.55  # of the width, up to where words of a quantile stand at the right of it
_LINE = 15  # pixels from one line of words to the next
_APART = 48  # columns up to which gaps part them and each has its own whisker, not a band


def histogram(
    edges: Iterable[float],
    shares: Iterable[float],
    low: Iterable[float],
    high: Iterable[float],
    *,
    name: str,
    title: str,
    description: str,
    log: bool = False,
    unit: str = "",
) -> Markup:
    """The share of each bin as a column, with its interval as a whisker, or as a band over many.

    Where bins are of several widths, a column's *area* is its share: heights are shares per width of the
    narrowest bin, and the axis says so.  With ``log`` edges are powers of 10, and the axis shows numbers.
    """
    owner = "chart histogram"
    ends = _rising(edges, "edges", owner, MOST_COLUMNS + 1)
    count = len(ends) - 1
    widths = [after - before for before, after in pairwise(ends)]
    narrowest = min(widths)
    rounding = 1e-6 * narrowest + 1e-15 * max(abs(ends[0]), abs(ends[-1]))
    joined = max(widths) - narrowest > rounding
    over = [width / narrowest if joined else 1.0 for width in widths]
    tops, lows, highs = (
        [value / times for value, times in zip(series(given, of, owner, count), over, strict=True)]
        for given, of in ((shares, "shares"), (low, "low"), (high, "high"))
    )
    lows, highs = _intervals(lows, highs, owner)
    scale_x = _scale_of(ends, log=log)
    plot = Plot(scale_x, Scale.exactly([0.0, *tops, *lows, *highs]), TOP, HEIGHT)
    per = f"factor of {number(10**narrowest)}" if log else f"{number(narrowest)} {unit}".rstrip()
    svg = _framed(
        "histogram", plot, f"share per {per}: areas are shares" if joined else "share",
        name=name, title=title, description=description, log=log,
    )  # fmt: skip

    columns, outline, whiskers, upper, lower = [], [], [], [], []
    zero = plot.y(0.0)
    for position in range(count):
        left, right = plot.x(ends[position]), plot.x(ends[position + 1])
        bottom, top = plot.y(lows[position]), plot.y(highs[position])
        outline.append(f"V{plot.y(tops[position])}H{right}")
        columns.append(f"M{left} {zero}{outline[-1]}V{zero}z")
        middle = plot.x((ends[position] + ends[position + 1]) / 2)
        whiskers.append(f"M{middle} {bottom}V{top}")
        upper.append(f"V{top}H{right}")
        lower.append(f"V{bottom}H{left}")
    drawing = sheet(svg, plot.bottom + 1)
    if count <= _APART:
        path(drawing, "".join(columns), "fill apart")
        path(drawing, "".join(whiskers), "halo")
        path(drawing, "".join(whiskers), "whisker")
    else:
        path(drawing, "".join(columns), "area")
        there, back, start = "".join(upper), "".join(reversed(lower)), plot.x(ends[0])
        path(drawing, f"M{start} {plot.y(lows[0])}{there}{back}z", "band")
        path(drawing, f"M{start} {zero}{''.join(outline)}V{zero}", "line")
    add(svg, "line", x2="100%", y1=zero, y2=zero, class_="zero")
    return markup(svg)


def curve(
    points: Iterable[float],
    values: Iterable[float],
    low: Iterable[float],
    high: Iterable[float],
    *,
    name: str,
    title: str,
    description: str,
    quantiles: Sequence[tuple[float, float]] = (),
    log: bool = False,
) -> Markup:
    """The share of people at or below each point, with its band; quantiles ``(q, x)`` are marked."""
    owner = "chart curve"
    at = _rising(points, "points", owner, MOST_POINTS)
    known, lows, highs = (
        series(given, of, owner, len(at))
        for given, of in ((values, "values"), (low, "low"), (high, "high"))
    )
    lows, highs = _intervals(lows, highs, owner)
    if len(quantiles) > MOST_QUANTILES:
        given = f"{len(quantiles)} quantiles"
        raise InvalidInput("quantiles", owner, f"at most {MOST_QUANTILES}", given)
    marked = [
        (series([q, x], "quantiles", owner)[0], min(max(float(x), at[0]), at[-1]))
        for q, x in quantiles
    ]
    scale_x = _scale_of(at, log=log)
    plot = Plot(scale_x, Scale.exactly([0.0, 1.0, *known, *lows, *highs]), TOP, HEIGHT)
    svg = _framed(
        "curve", plot, "share at or below", name=name, title=title, description=description, log=log
    )
    drawing = sheet(svg, plot.bottom + 1)
    upper = [f"{plot.x(x)} {plot.y(y)}" for x, y in zip(at, highs, strict=True)]
    lower = [f"{plot.x(x)} {plot.y(y)}" for x, y in zip(at, lows, strict=True)]
    path(drawing, f"M{'L'.join([*upper, *reversed(lower)])}z", "band")
    line = [f"{plot.x(x)} {plot.y(y)}" for x, y in zip(at, known, strict=True)]
    path(drawing, f"M{'L'.join(line)}", "line")
    _mark(svg, plot, marked, drawing, log=log)
    return markup(svg)


def _scale_of(ends: Sequence[float], *, log: bool) -> Scale:
    """The axis of numbers; of powers of 10 only whole ones are ticks."""
    writer = power_ticks if log else number_ticks
    found = legible(lambda about: Scale.exactly([ends[0], ends[-1]], about), writer)
    if not log or found.step >= 1:
        return found
    first, last = math.ceil(found.low), math.floor(found.high)
    marks = tuple(float(power) for power in range(first, last + 1))
    return Scale(found.low, found.high, marks, 1.0)


def _mark(
    svg: Element,
    plot: Plot,
    quantiles: Sequence[tuple[float, float]],
    drawing: Element,
    *,
    log: bool,
) -> None:
    """A dot on the curve, a line down to its place, and its words on the curve's empty side.

    That is the upper left of a point, and the lower right of those too near the left end.
    """
    feet = "".join(f"M{plot.x(x)} {plot.y(q)}V{plot.bottom}" for q, x in quantiles)
    path(drawing, feet, "foot")
    for q, x in quantiles:
        add(svg, "circle", cx=part(plot.scale_x.share(x)), cy=plot.y(q), r=4.5, class_="dot")
    falling = sorted(quantiles, reverse=True)
    right = [mark for mark in falling if plot.scale_x.share(mark[1]) <= _LEFT]
    left = [mark for mark in falling if plot.scale_x.share(mark[1]) > _LEFT]
    for marks, shift in ((right, 15), (left, -6)):
        wanted = [float(plot.y(q)) + shift for q, _ in marks]
        for (q, x), y in zip(marks, _spread(wanted, _LINE, plot.bottom - 4), strict=True):
            _words(svg, plot, q, x, y, log=log)


def _spread(wanted: Sequence[float], gap: float, last: float) -> list[float]:
    """Rising places, moved apart where they are nearer than the gap, none beyond the last.

    >>> _spread([10, 12, 50, 96], 15, 100), _spread([95, 99], 15, 100)
    ([10, 25, 50, 96], [85, 100])
    """
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + gap) if found else place)
    for position in reversed(range(len(found))):
        found[position] = min(found[position], last)
        last = found[position] - gap
    return found


def _words(svg: Element, plot: Plot, q: float, x: float, y: float, *, log: bool) -> None:
    share = plot.scale_x.share(x)
    told = number(float(f"{10**x:.3g}")) if log else number(x, decimals(plot.scale_x.step / 100))
    left = share > _LEFT
    text(
        svg,
        f"{number(100 * q)}%: {told}",
        x=part(share),
        dx=-9 if left else 9,
        y=y,
        text_anchor="end" if left else "start",
        class_="mark-label",
    )


def _framed(
    kind: str, plot: Plot, unit: str, *, name: str, title: str, description: str, log: bool
) -> Element:
    """The picture with both axes, and what the upright one counts."""
    height = plot.bottom + FOOT
    svg = picture(kind, height, name=name, title=title, description=description, axis=True)
    text(svg, unit, x=-52, y=12, class_="tick")
    down(svg, plot, percent_ticks(plot.scale_y))
    stubs(svg, plot)
    written = power_ticks if log else number_ticks
    across(svg, plot.scale_x, written(plot.scale_x), plot.bottom + 20, margin=True)
    return svg


def _rising(values: Iterable[float], parameter: str, owner: str, most: int) -> list[float]:
    known = series(values, parameter, owner)
    if not 2 <= len(known) <= most:
        raise InvalidInput(parameter, owner, f"2 to {most} numbers", f"{len(known)} numbers")
    for before, after in pairwise(known):
        if before >= after:
            raise InvalidInput(parameter, owner, "rising numbers", [before, after])
    return known


def _intervals(
    low: Sequence[float], high: Sequence[float], owner: str
) -> tuple[list[float], list[float]]:
    pairs = [ordered(bottom, top, owner) for bottom, top in zip(low, high, strict=True)]
    return [bottom for bottom, _ in pairs], [top for _, top in pairs]

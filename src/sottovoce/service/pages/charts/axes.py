"""Axes: ticks that still fit on a phone, and the lines they belong to."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from sottovoce.service.pages.charts.drawing import GRID, add, part, path, sheet, text
from sottovoce.service.pages.charts.numbers import decimals, number, percent
from sottovoce.service.pages.charts.scales import Scale

__all__ = ["Plot", "across", "down", "legible", "number_ticks", "percent_ticks", "power_ticks"]

_ROOM = 250  # pixels of a plot on a phone of 360
_LETTER, _SPACE = 6.5, 8  # pixels of one character of a tick, and between two ticks

Writer = Callable[[Scale], list[str]]


class Plot:
    """The place of a plot within its picture: from ``top`` down to ``bottom``, in pixels."""

    def __init__(self, scale_x: Scale, scale_y: Scale, top: int, height: int) -> None:
        self.scale_x, self.scale_y, self.top, self.height = scale_x, scale_y, top, height

    @property
    def bottom(self) -> int:
        """Where the plot ends."""
        return self.top + self.height

    def x(self, value: float) -> str:
        """A place across, in units of a sheet."""
        return f"{GRID * self.scale_x.share(value):.0f}"

    def y(self, value: float) -> str:
        """A place down, in pixels."""
        return f"{self.bottom - self.height * self.scale_y.share(value):.1f}".removesuffix(".0")


def percent_ticks(scale: Scale) -> list[str]:
    """Ticks as percent."""
    digits = decimals(100 * scale.step)
    return [percent(tick, digits) for tick in scale.ticks]


def number_ticks(scale: Scale) -> list[str]:
    """Ticks as numbers."""
    digits = decimals(scale.step)
    return [number(tick, digits) for tick in scale.ticks]


def power_ticks(scale: Scale) -> list[str]:
    """Ticks of powers of 10 as the numbers themselves."""
    return [number(float(f"{10**tick:.3g}")) for tick in scale.ticks]


def legible(build: Callable[[int], Scale], write: Writer) -> Scale:
    """The scale with the most ticks that fit beside each other on a phone."""
    for about in (6, 5, 4, 3):
        scale = build(about)
        # a tick at the end of the axis is not centered: it takes half its width more
        needed = 1.5 * _LETTER * max(map(len, write(scale))) + _SPACE
        if _ROOM * scale.step / (scale.high - scale.low) >= needed:
            return scale
    return build(2)


def across(svg: Element, scale: Scale, labels: list[str], y: float, *, margin: bool) -> None:
    """Ticks below a plot; without a ``margin`` at the left the first one begins at its place."""
    for tick, written in zip(scale.ticks, labels, strict=True):
        share = scale.share(tick)
        anchor = "middle"
        if share > 0.99:
            anchor = "end"
        elif share < 0.01 and not margin:
            anchor = "start"
        text(svg, written, x=part(share), y=y, text_anchor=anchor, class_="tick")


def down(svg: Element, plot: Plot, labels: list[str]) -> None:
    """Ticks at the left of a plot, a line across for each, and a stronger one at zero."""
    for tick, written in zip(plot.scale_y.ticks, labels, strict=True):
        y = float(plot.y(tick))
        text(svg, written, x=-8, y=y + 4, text_anchor="end", class_="tick")
        kind = "zero" if tick == 0 else "grid"
        add(svg, "line", x2="100%", y1=y, y2=y, class_=kind)


def stubs(svg: Element, plot: Plot) -> None:
    """Short marks below a plot, where its ticks across are."""
    drawn = "".join(f"M{plot.x(tick)} {plot.bottom}v5" for tick in plot.scale_x.ticks)
    path(sheet(svg, plot.bottom + 6), drawn, "mark")

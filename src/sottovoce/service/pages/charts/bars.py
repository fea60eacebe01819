"""Charts of named rows: bars with whiskers, and dots with intervals.

The name of a row stands above its bar, not beside it, so a phone has the whole width for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal
from xml.etree.ElementTree import Element

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.axes import across, legible
from sottovoce.service.pages.charts.drawing import (
    GRID,
    NARROW,
    WIDE,
    add,
    label,
    markup,
    part,
    path,
    picture,
    sheet,
    text,
)
from sottovoce.service.pages.charts.labels import plain
from sottovoce.service.pages.charts.numbers import (
    decimals,
    digits_of,
    number,
    percent,
    points,
    signed,
)
from sottovoce.service.pages.charts.scales import Scale, finite, ordered

__all__ = ["Bar", "bars", "intervals"]

MOST_ROWS = 50
ROW, LANE, THICK = 46, 24, 12  # pixels: a whole row, from its top to its bar, the bar
MIDDLE = LANE + THICK // 2

Form = Literal["percent", "number"]


@dataclass(frozen=True)
class Bar:
    """A row: its name, its value, and the interval of the value."""

    label: str
    value: float
    low: float
    high: float
    outer: tuple[float, float] | None = None
    """A wider interval, drawn dashed behind it."""

    @property
    def ends(self) -> tuple[float, ...]:
        """All that an axis has to hold."""
        return (self.value, self.low, self.high, *(self.outer or ()))


def bars(rows: Sequence[Bar], *, name: str, title: str, description: str) -> Markup:
    """Shares as bars from zero, with whiskers from ``low`` to ``high``."""
    known = _checked(rows, "bars")
    ends = [0.0, *(end for row in known for end in row.ends)]
    writer = _Writer("percent", zero=False)
    scale = legible(lambda about: Scale.exactly(ends, about), writer.ticks)
    svg, drawing = _lanes(
        "bars", known, scale, writer, name=name, title=title, description=description
    )
    zero = scale.share(0.0)
    for position, row in enumerate(known):
        start, end = sorted((zero, scale.share(row.value)))
        y = position * ROW + LANE
        add(svg, "rect", x=part(start), y=y, width=part(end - start), height=THICK, class_="fill")
    _whiskers(svg, known, scale)
    path(sheet(svg, drawing), _upright(len(known), [zero]), "zero")
    return markup(svg)


def intervals(
    rows: Sequence[Bar],
    *,
    name: str,
    title: str,
    description: str,
    zero: bool,
    low: float | None = None,
    high: float | None = None,
    form: Form = "percent",
) -> Markup:
    """A dot and its interval per row.

    With ``zero`` the rows are differences: signed, around a line at zero, and as percentage
    points where the form is ``percent``.  ``low`` and ``high`` are ends the axis has at least.
    """
    known = _checked(rows, "intervals")
    writer = _Writer(form, zero=zero)
    ends = [end for row in known for end in row.ends]
    ends += [finite(e, "low and high", "chart intervals") for e in (low, high) if e is not None]
    if zero:
        ends.append(0.0)
    scale = legible(lambda about: Scale.exactly(ends, about), writer.ticks)
    svg, drawing = _lanes(
        "intervals", known, scale, writer, name=name, title=title, description=description
    )
    if zero:
        path(sheet(svg, drawing), _upright(len(known), [scale.share(0.0)]), "zero")
    _whiskers(svg, known, scale)
    for position, row in enumerate(known):
        x, y = part(scale.share(row.value)), position * ROW + MIDDLE
        add(svg, "circle", cx=x, cy=y, r=4.5, class_="dot")
    return markup(svg)


@dataclass(frozen=True)
class _Writer:
    """How the numbers of a chart are written."""

    form: Form
    zero: bool

    @property
    def factor(self) -> float:
        return 100.0 if self.form == "percent" else 1.0

    @property
    def unit(self) -> str:
        return "percentage points" if self.zero and self.form == "percent" else ""

    def one(self, value: float, digits: int) -> str:
        if self.form == "percent":
            return points(value, digits) if self.zero else percent(value, digits)
        return signed(value, digits) if self.zero else number(value, digits)

    def ticks(self, scale: Scale) -> list[str]:
        digits = decimals(self.factor * scale.step)
        return [self.one(tick, digits) for tick in scale.ticks]

    def written(self, rows: Sequence[Bar]) -> list[tuple[str, str]]:
        """Value and interval of each row, all with the same decimals."""
        digits = digits_of(median(self.factor * (row.high - row.low) / 2 for row in rows))
        return [
            (
                self.one(row.value, digits),
                f"({self.one(row.low, digits)} to {self.one(row.high, digits)})",
            )
            for row in rows
        ]


def _checked(rows: Sequence[Bar], kind: str) -> list[Bar]:
    owner = f"chart {kind}"
    if not 1 <= len(rows) <= MOST_ROWS:
        raise InvalidInput("rows", owner, f"1 to {MOST_ROWS} rows", f"{len(rows)} rows")
    known = []
    for row in rows:
        value, low, high = (
            finite(given, field, owner)
            for given, field in ((row.value, "value"), (row.low, "low"), (row.high, "high"))
        )
        outer = None if row.outer is None else ordered(*row.outer, owner)
        known.append(Bar(plain(row.label), value, *ordered(low, high, owner), outer))
    return known


def _lanes(
    kind: str,
    rows: Sequence[Bar],
    scale: Scale,
    writer: _Writer,
    *,
    name: str,
    title: str,
    description: str,
) -> tuple[Element, int]:
    """What both charts share: names, numbers, grid and axis; and the height of the lanes."""
    drawing = len(rows) * ROW
    height = drawing + (36 if writer.unit else 20)
    svg = picture(kind, height, name=name, title=title, description=description)
    path(sheet(svg, drawing), _upright(len(rows), [scale.share(t) for t in scale.ticks]), "grid")
    written = writer.written(rows)
    free = _free(written)
    for position, (row, (value, between)) in enumerate(zip(rows, written, strict=True)):
        y = position * ROW
        group = add(svg, "g")
        add(group, "title", f"{row.label}: {value} {between}")
        label(group, row.label, y, free)
        line = text(group, value, x="100%", y=y + 15, text_anchor="end", class_="value")
        add(line, "tspan", f" {between}", class_="rest muted")
    across(svg, scale, writer.ticks(scale), drawing + 8, margin=False)
    if writer.unit:
        text(svg, writer.unit, x="100%", y=drawing + 26, text_anchor="end", class_="tick")
    return svg, drawing


def _free(written: Sequence[tuple[str, str]]) -> float:
    """The part of the width that numbers leave to names, on a phone and where intervals show."""
    narrow = max(8 * len(value) for value, _ in written) / NARROW
    wide = max(8 * len(value) + 6.5 * len(between) for value, between in written) / WIDE
    return min(max(0.97 - max(narrow, wide), 0.3), 0.7)


def _upright(rows: int, shares: Sequence[float]) -> str:
    """Lines down through the lanes of all rows, which leave the names free."""
    places = [f"{GRID * share:.0f}" for share in shares]
    lanes = range(LANE - 3, rows * ROW, ROW)
    return "".join(f"M{x} {y}v{THICK + 6}" for y in lanes for x in places)


def _whiskers(svg: Element, rows: Sequence[Bar], scale: Scale) -> None:
    """All intervals as one path, drawn twice: a halo that parts it from a bar, then the line."""
    drawn = []
    for position, row in enumerate(rows):
        y = position * ROW + MIDDLE
        start, end = (f"{GRID * scale.share(v):.0f}" for v in (row.low, row.high))
        drawn.append(f"M{start} {y}H{end}M{start} {y - 4}v8M{end} {y - 4}v8")
    drawing = sheet(svg, len(rows) * ROW)
    wider = [
        "M{:.0f} {y}H{:.0f}".format(*(GRID * scale.share(end) for end in row.outer), y=y)
        for y, row in zip(range(MIDDLE, len(rows) * ROW, ROW), rows, strict=True)
        if row.outer is not None
    ]
    if wider:
        path(drawing, "".join(wider), "outer")
    path(drawing, "".join(drawn), "halo")
    path(drawing, "".join(drawn), "whisker")

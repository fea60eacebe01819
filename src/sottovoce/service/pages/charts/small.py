"""A distribution at a glance: columns without an axis, for a card among many."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.drawing import add, label, markup, part, picture, text
from sottovoce.service.pages.charts.labels import plain
from sottovoce.service.pages.charts.numbers import percent
from sottovoce.service.pages.charts.scales import finite

__all__ = ["glance", "ranked"]

MOST = 256
HEIGHT, FOOT, ROW, LANE = (
    72,
    20,
    34,
    20,
)  # pixels: columns, their ends, a row, from its top to its bar
THICK = 7


def glance(
    shares: Sequence[float], ends: tuple[str, str], *, name: str, title: str, description: str
) -> Markup:
    """Shares of neighbouring bins, the ends of the first and the last named below."""
    known = _checked(shares, MOST)
    svg = picture("glance", HEIGHT + FOOT, name=name, title=title, description=description)
    tallest = max(*known, 1e-12)
    width = 1 / len(known)
    gap = min(0.12, 0.02 * len(known)) * width
    for place, share in enumerate(known):
        height = HEIGHT * max(0.0, share) / tallest
        add(
            svg, "rect", x=part(place * width + gap / 2), y=HEIGHT - height, height=height,
            width=part(width - gap), class_="fill",
        )  # fmt: skip
    add(svg, "line", x1=0, x2="100%", y1=HEIGHT, y2=HEIGHT, class_="zero")
    text(svg, plain(ends[0]), x=0, y=HEIGHT + FOOT - 5, class_="tick")
    text(svg, plain(ends[1]), x="100%", y=HEIGHT + FOOT - 5, text_anchor="end", class_="tick")
    return markup(svg)


def ranked(rows: Sequence[tuple[str, float]], *, name: str, title: str, description: str) -> Markup:
    """The largest shares by name; the whole width is everybody."""
    shares = _checked([share for _, share in rows], MOST)
    svg = picture("ranked", len(rows) * ROW, name=name, title=title, description=description)
    for place, ((written, _), share) in enumerate(zip(rows, shares, strict=True)):
        top = place * ROW
        label(svg, plain(written), top, 0.72)
        text(svg, percent(share, 0), x="100%", y=top + 15, text_anchor="end", class_="value")
        width = min(max(0.0, share), 1.0)
        add(svg, "rect", x=0, y=top + LANE, width="100%", height=THICK, class_="faint")
        add(svg, "rect", x=0, y=top + LANE, width=part(width), height=THICK, class_="fill")
    return markup(svg)


def _checked(shares: Sequence[float], most: int) -> list[float]:
    if not 1 <= len(shares) <= most:
        raise InvalidInput("shares", "a small chart", f"1 to {most}", f"{len(shares)} shares")
    return [finite(share, "shares", "a small chart") for share in shares]

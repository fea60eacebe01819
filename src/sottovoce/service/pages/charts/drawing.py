"""SVG elements: every text and attribute goes through the serializer, which escapes it.

Across, places are percent of the width; down, they are pixels.  So a chart fills any width and
its text is never scaled.  Paths cannot hold percents: they lie in an inner ``<svg>`` that is
:data:`GRID` units wide and stretched across, with strokes that are not; its height is in pixels.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as Tree

from markupsafe import Markup

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.labels import cut, from_right, plain

__all__ = [
    "GRID",
    "NARROW",
    "WIDE",
    "add",
    "label",
    "markup",
    "part",
    "path",
    "picture",
    "sheet",
    "text",
]

GRID = 4000
"""Units across an inner drawing: finer than a pixel on any screen."""

NARROW, WIDE = 300, 540
"""Pixels of a chart on a phone, and from where the stylesheet shows what has the class ``rest``."""

_LETTER = 7.2  # pixels of a letter of a label, on average
_FROM_RIGHT, _END = "\N{RIGHT-TO-LEFT ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")

Value = str | float


def picture(
    kind: str, height: int, *, name: str, title: str, description: str, axis: bool = False
) -> Tree.Element:
    """An empty picture with its name and description; ``axis`` leaves room for ticks at the left."""
    if not _NAME.fullmatch(name):
        allowed = "1 to 64 letters, digits, - or _ that begin with a letter"
        raise InvalidInput("name", f"chart {kind}", allowed, name)
    classes = f"chart {kind} axis" if axis else f"chart {kind}"
    svg = Tree.Element("svg", {"class": classes, "role": "img", "width": "100%"})
    svg.set("height", str(height))
    svg.set("aria-labelledby", f"{name}-title {name}-desc")
    add(svg, "title", plain(title), id=f"{name}-title")
    add(svg, "desc", plain(description), id=f"{name}-desc")
    return svg


def add(parent: Tree.Element, tag: str, content: str = "", **attributes: Value) -> Tree.Element:
    """One more element; ``class_`` and ``text_anchor`` become ``class`` and ``text-anchor``."""
    names = {
        key.rstrip("_").replace("_", "-"): _written(value) for key, value in attributes.items()
    }
    element = Tree.SubElement(parent, tag, names)
    if content:
        element.text = content
    return element


def text(parent: Tree.Element, content: str, **attributes: Value) -> Tree.Element:
    """A short text of ours (a tick, a number)."""
    return add(parent, "text", content, **attributes)


def label(parent: Tree.Element, content: str, y: float, share: float) -> None:
    """One line of a name: cut with an ellipsis, and clipped, so that it never meets its neighbor.

    ``y`` is the top of the line, ``share`` its part of the width.  The line stays at the left in every script; a name from right
    to left is ordered within it, by signs of Unicode rather than the attribute ``direction``, with
    which browsers also move the line to the other side.
    """
    box = add(parent, "svg", y=y, width=part(share), height=21)
    line = add(box, "text", y=15, class_="label")
    head, rest, shortened = cut(content, int(share * NARROW / _LETTER), int(share * WIDE / _LETTER))
    line.text = head
    last = add(line, "tspan", rest, class_="rest") if rest else None
    if shortened:
        last = add(line, "tspan", "…")
    elif rest:
        last = add(line, "tspan", "…", class_="dots")
    if from_right(content):
        line.text = _FROM_RIGHT + head
        if last is None:
            line.text += _END
        else:
            last.tail = _END


def sheet(parent: Tree.Element, height: float) -> Tree.Element:
    """The inner drawing that paths lie in, from the top of the picture down to ``height``."""
    box = f"0 0 {GRID} {_written(height)}"
    svg = add(parent, "svg", width="100%", height=height, viewBox=box, class_="sheet")
    svg.set("preserveAspectRatio", "none")
    return svg


def path(parent: Tree.Element, drawn: str, class_: str) -> None:
    """A path, if there is anything to draw."""
    if drawn:
        add(parent, "path", d=drawn, class_=class_)


def part(share: float) -> str:
    """A part of the width as percent.

    >>> part(0.25), part(1 / 3)
    ('25%', '33.333%')
    """
    return f"{_written(100 * share)}%"


def markup(svg: Tree.Element) -> Markup:
    """The picture as text for a page."""
    return Markup(Tree.tostring(svg, encoding="unicode"))  # noqa: S704 - escaped by the serializer


def _written(value: Value) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"

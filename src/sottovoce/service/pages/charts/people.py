"""A hundred people as dots, some of them filled: a probability as people read it."""

from __future__ import annotations

from markupsafe import Markup

from sottovoce.base.checks import check_int
from sottovoce.service.pages.charts.drawing import markup, path, picture

__all__ = ["people"]

_SIDE = 10  # dots in a row, and units from one to the next


def people(filled: int, *, name: str, title: str, description: str) -> Markup:
    """Ten rows of ten dots, the first ``filled`` of them in color.

    It is a square that is as wide as the stylesheet says.

    >>> svg = people(25, name="some", title="A quarter", description="25 of 100 dots.")
    >>> svg.count("h0")
    100
    """
    count = check_int(filled, "filled", "chart people", 0, _SIDE**2)
    svg = picture("people", 0, name=name, title=title, description=description)
    del svg.attrib["width"], svg.attrib["height"]
    svg.set("viewBox", f"0 0 {_SIDE**2} {_SIDE**2}")
    spots = [
        f"M{_SIDE * column + _SIDE // 2} {_SIDE * row + _SIDE // 2}h0"
        for row in range(_SIDE)
        for column in range(_SIDE)
    ]  # a line of no length with a round end is a dot
    path(svg, "".join(spots[:count]), "some")
    path(svg, "".join(spots[count:]), "others")
    return markup(svg)

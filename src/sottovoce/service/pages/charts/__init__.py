"""Charts as SVG, drawn on the server: no script, no inline style, colors from ``style.css``.

Every function takes its data first, then by keyword ``name`` (prefix of its ids, unique in the
page), ``title`` and ``description`` (read aloud by screen readers), and returns one ``<svg>``.
It fills the width it is given; its text keeps its size, from a phone to a wide screen.

>>> from sottovoce.service.pages.charts import Bar, bars
>>> svg = bars([Bar("<tea>", 0.4, 0.35, 0.45)], name="drinks", title="Drinks", description="Tea.")
>>> "<tea>" in svg, "&lt;tea&gt;" in svg
(False, True)
"""

from sottovoce.service.pages.charts.bars import Bar, bars, intervals
from sottovoce.service.pages.charts.distributions import curve, histogram
from sottovoce.service.pages.charts.numbers import (
    compact,
    digits_of,
    number,
    percent,
    points,
    ticks,
)
from sottovoce.service.pages.charts.people import people
from sottovoce.service.pages.charts.small import glance, ranked
from sottovoce.service.pages.charts.trends import Point, Trail, trails
from sottovoce.service.pages.charts.windows import Column, columns

__all__ = [
    "Bar",
    "Column",
    "Point",
    "Trail",
    "bars",
    "columns",
    "compact",
    "curve",
    "digits_of",
    "glance",
    "histogram",
    "intervals",
    "number",
    "people",
    "percent",
    "points",
    "ranked",
    "ticks",
    "trails",
]

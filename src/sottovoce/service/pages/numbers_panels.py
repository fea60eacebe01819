"""Panels of numbers: the distribution, the cumulative curve with quantiles, mean and variance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import two_sided
from sottovoce.answers.intervals import all_within
from sottovoce.answers.numbers import Cumulative
from sottovoce.domains.edges import drawn
from sottovoce.domains.interval import Interval
from sottovoce.domains.units import with_unit
from sottovoce.service.pages.charts import curve, histogram, intervals
from sottovoce.service.pages.charts.numbers import number
from sottovoce.service.pages.panels import Panel, Shown, table
from sottovoce.service.pages.words import number_row, part_in_words, share_row

__all__ = ["panels_of_numbers"]

_COLUMNS = 48
"""Columns of a histogram: neighbouring bins are joined until there are no more."""
_POINTS = 128
"""Points of a cumulative curve."""
_REACH = two_sided(0.95)
"""Standard errors to either side of a value that a band is wide."""
_JUMP = 1e-6
"""How far before a whole number the curve begins to rise to it: next to nothing."""
_QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
_MARKED = (0.25, 0.5, 0.75)

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def panels_of_numbers(shown: Shown, domain: Interval) -> tuple[Panel, ...]:
    """What is shown of numbers: all of their distribution, or no more than the mean."""
    if shown.estimate.shares is None:
        return (_mean_alone(shown, domain),)
    return _distribution(shown, domain), _cumulative(shown, domain), _summary(shown, domain)


def _mean_alone(shown: Shown, domain: Interval) -> Panel:
    mean = shown.ask("mean")
    head, rows = table([mean], "", f"mean of {shown.whole}", number_row)
    return Panel(
        "mean",
        "Mean",
        f"These reports identify only the mean: {shown.estimate.why}.",
        intervals(
            [mean.bar], name="mean", title="Mean", zero=False, low=domain.low, high=domain.high,
            description=f"The mean is {number_row(mean.answer)[0]}.", form="number",
        ),
        head,
        rows,
    )  # fmt: skip


def _distribution(shown: Shown, domain: Interval) -> Panel:
    edges, whole = _joined_edges(domain), shown.whole
    lines = [shown.ask("linear", weights, label) for weights, label in _parts(domain, edges)]
    parts = [line.answer for line in lines]
    largest = max(parts, key=lambda answer: answer.value)
    told = with_unit("number" if domain.whole else "from to", domain.unit)
    head, rows = table(lines, told, f"share of {whole}", share_row)
    log, last = domain.scale == "log", ""
    ends = drawn(domain.edges[edges], domain.scale)[0]
    if domain.open_end:
        last = (
            f" The last one, {parts[-1].label}, has no end: it is drawn as wide as the one before."
        )
    return Panel(
        "distribution",
        "Distribution",
        f"The share of {whole} in each of {len(parts)} bins, with 95% intervals.{last}",
        histogram(
            (np.log10(ends) if log else ends).tolist(), [answer.value for answer in parts],
            [answer.low for answer in parts], [answer.high for answer in parts],
            name="distribution", title="Distribution",
            description=f"Highest: {largest.label}, with {share_row(largest)[0]} of {whole}.",
            log=log, unit=domain.unit,
        ),
        head,
        rows,
    )  # fmt: skip


def _joined_edges(domain: Interval) -> list[int]:
    """Places of the edges between which bins are joined."""
    step = -(-domain.size // _COLUMNS)
    return [*range(0, domain.size, step), domain.size]


def _parts(domain: Interval, edges: Sequence[int]) -> list[tuple[Floats, str]]:
    found = []
    for start, end in pairwise(edges):
        weights = np.zeros(domain.size)
        weights[start:end] = 1.0
        found.append((weights, part_in_words(domain, start, end)))
    return found


def _cumulative(shown: Shown, domain: Interval) -> Panel:
    lines = [shown.ask("quantile", q, label=f"{q:.0%}") for q in _QUANTILES]
    quantiles, whole = [line.answer for line in lines], shown.whole
    line = shown.estimate.cumulative
    marked = [
        (q, answer.value)
        for q, answer in zip(_QUANTILES, quantiles, strict=True)
        if q in _MARKED and np.isfinite(answer.value)
    ]
    at, places = _steps(line, [x for _, x in marked]) if domain.whole else _line(line)
    log = domain.scale == "log"
    if log:
        at = np.log10(drawn(at, domain.scale)[0])
        marked = [(q, float(np.log10(max(x, 10 ** at[0])))) for q, x in marked]
    values = line.values[places]
    low, high = all_within(values, line.stderr[places], _REACH)
    middle = number_row(quantiles[_QUANTILES.index(0.5)])
    below = "up to" if domain.whole else "below"
    head, rows = table(lines, f"share of {whole} {below}", "number", number_row)
    return Panel(
        "cumulative",
        "Cumulative distribution and quantiles",
        f"The share of {whole} up to each number, with a 95% band.",
        curve(
            at, values, low, high, quantiles=marked,
            name="cumulative", title="Cumulative distribution",
            description=f"Half of {whole} are {below} {middle[0]} (95%: {middle[2]}).", log=log,
        ),
        head,
        rows,
    )  # fmt: skip


def _line(line: Cumulative) -> tuple[Floats, Places]:
    """Points of a curve that rises within bins, and the places of their values."""
    last = len(line.edges) - 1 - int(np.isinf(line.edges[-1]))
    places = np.unique([*range(0, last, -(-last // _POINTS)), last])
    return line.edges[places], places


def _steps(line: Cumulative, marked: Sequence[float]) -> tuple[Floats, Places]:
    """The same of one that jumps at whole numbers, two points a jump.

    Those that are marked are among the numbers, so that their dots lie on the curve; between
    numbers that are no neighbours it is a line.
    """
    last, first = len(line.edges) - 2, line.edges[0] + 0.5
    found = np.subtract(marked, first)
    chosen = [*range(0, last, -(-(last + 1) // _POINTS)), last, *np.floor(found), *np.ceil(found)]
    indices = np.unique(np.array(chosen, dtype=np.int64))
    numbers = first + indices
    jumps = np.column_stack([numbers - _JUMP, numbers]).ravel()
    places = np.column_stack([indices, indices + 1]).ravel()
    at = np.concatenate([line.edges[:1], jumps, line.edges[-1:]])
    return at, np.concatenate([[0], places, [last + 1]])


def _summary(shown: Shown, domain: Interval) -> Panel:
    lines, title, told = [], "Mean and variance", ""
    if domain.open_end:
        lines = [shown.ask("mean", None, top=domain.high, label="mean, at least")]
        title = "Least mean"
        told = (
            f"How far beyond {number(domain.high)} answers lie is not reported: the mean is at least this, and "
            "has no upper bound."
        )
    else:
        lines = [shown.ask("mean"), shown.ask("variance")]
    head, rows = table(lines, "", f"of {shown.whole}", number_row)
    return Panel("summary", title, told, None, head, rows)

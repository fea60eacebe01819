"""Boards: what there is to see of a survey's answers, chart beside table, by kind of domain.

A board is worked out once and shown to many (:mod:`.preparing`).  All its text is plain: the
templates and the charts escape it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from sottovoce.core.answer import Answer
from sottovoce.core.domain import Domain
from sottovoce.core.estimate import Estimate
from sottovoce.core.interval import Interval
from sottovoce.core.key_values import KeyValues
from sottovoce.questions import Questions
from sottovoce.service.answering import Told, Way
from sottovoce.service.pages.charts import Bar, bars, curve, histogram, intervals
from sottovoce.service.pages.words import count, number_row, share_row, text

__all__ = ["MOST_SHOWN", "Board", "Panel", "bar", "board_of", "board_of_vector", "way_of"]

MOST_SHOWN = 25
"""Values or keys of a survey with many that a page shows."""
_MOST_ROWS = 500
"""Coordinates of a vector that the table of a page lists."""
_COLUMNS = 48
"""Columns of a histogram: neighbouring bins are joined until there are no more."""
_POINTS = 128
"""Points of a cumulative curve."""
_MANY_PAIRS = 64
_QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
_MARKED = (0.25, 0.5, 0.75)

Row = tuple[str, ...]
Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """A part of a page: a title, a sentence, a chart, and the same as a table."""

    name: str
    title: str
    told: str
    chart: Markup | None
    head: Row
    rows: Sequence[Row]


@dataclass(frozen=True)
class Board:
    """What an estimate tells, ready to be shown."""

    told: Told
    panels: tuple[Panel, ...]
    reports: int


def way_of(domain: Domain) -> Way:
    """How pages estimate: by the method that everything is answered with, or over many pairs of
    keys and numbers by the unbiased one, as likelihoods would take minutes there.
    """
    many = isinstance(domain, KeyValues) and domain.size > _MANY_PAIRS
    return Way("unbiased" if many else "auto", Questions(domain).goal)


def board_of(told: Told) -> Board:
    """The board of an estimate."""
    found = told.estimate
    domain = found.domain
    if isinstance(domain, KeyValues):
        return Board(told, _keys(found, domain), found.n)
    if isinstance(domain, Interval):
        return Board(told, _numbers(found, domain), found.n)
    return Board(told, (_values(found, domain),), found.n)


def bar(answer: Answer, label: str | None = None) -> Bar:
    """An answer as a row of a chart."""
    return Bar(label or text(answer.label), answer.value, answer.low, answer.high)


# -- values ----------------------------------------------------------------------------------


def _values(found: Estimate, domain: Domain) -> Panel:
    top = found.top(min(MOST_SHOWN, domain.size))
    rows = [(text(answer.label), *share_row(answer)) for answer in top]
    all_shown = len(top) == domain.size
    if not all_shown:
        rows.append((f"all {count(domain.size - len(top))} others", *share_row(_rest(found, top))))
    title = (
        "Shares" if all_shown else f"The {len(top)} most frequent of {count(domain.size)} values"
    )
    return Panel(
        "shares",
        title,
        "The share of people who hold each value; lines are 95% intervals.",
        bars(
            [bar(answer) for answer in top], name="shares", title=title,
            description=f"{rows[0][0]} is most frequent: {rows[0][1]}, {rows[0][3]}.",
        ),
        ("value", "share", "give or take", "95% interval"),
        rows,
    )  # fmt: skip


def _rest(found: Estimate, top: Sequence[Answer]) -> Answer:
    """The share of all values that are not shown, with its error."""
    others = np.ones(found.domain.size)
    others[found.domain.indices([answer.label for answer in top])] = 0.0
    return found.linear(others, "others")


# -- numbers ---------------------------------------------------------------------------------


def _numbers(found: Estimate, domain: Interval) -> tuple[Panel, ...]:
    if found.shares is None:
        return (_mean_alone(found, domain),)
    return _distribution(found, domain), _cumulative(found), _summary(found)


def _mean_alone(found: Estimate, domain: Interval) -> Panel:
    mean = found.mean()
    return Panel(
        "mean",
        "Mean",
        f"These reports tell the mean and nothing else: {found.why}.",
        intervals(
            [bar(mean)], name="mean", title="Mean", zero=False, low=domain.low, high=domain.high,
            description=f"The mean is {number_row(mean)[0]}.", form="number",
        ),
        ("", "value", "give or take", "95% interval"),
        [("mean", *number_row(mean))],
    )  # fmt: skip


def _distribution(found: Estimate, domain: Interval) -> Panel:
    edges = _joined_edges(domain)
    parts = [found.linear(weights, label) for weights, label in _parts(domain, edges)]
    largest = max(parts, key=lambda answer: answer.value)
    return Panel(
        "distribution",
        "Distribution",
        f"The share of people in each of {len(parts)} bins, with 95% intervals.",
        histogram(
            [domain.edges[place] for place in edges], [answer.value for answer in parts],
            [answer.low for answer in parts], [answer.high for answer in parts],
            name="distribution", title="Distribution",
            description=f"Highest from {largest.label}, with {share_row(largest)[0]} of people.",
        ),
        ("from to", "share", "give or take", "95% interval"),
        [(str(answer.label), *share_row(answer)) for answer in parts],
    )  # fmt: skip


def _joined_edges(domain: Interval) -> list[int]:
    """Places of the edges between which bins are joined."""
    step = -(-domain.size // _COLUMNS)
    return [*range(0, domain.size, step), domain.size]


def _parts(domain: Interval, edges: Sequence[int]) -> list[tuple[Weights, str]]:
    found = []
    for start, end in pairwise(edges):
        weights = np.zeros(domain.size)
        weights[start:end] = 1.0
        found.append((weights, text((float(domain.edges[start]), float(domain.edges[end])))))
    return found


def _cumulative(found: Estimate) -> Panel:
    quantiles = found.quantile(_QUANTILES)
    line = found.cumulative
    step = -(-(len(line.edges) - 1) // _POINTS)
    places = np.unique([*range(0, len(line.edges), step), len(line.edges) - 1])
    values, reach = line.values[places], 1.96 * line.stderr[places]
    marked = [
        (q, answer.value) for q, answer in zip(_QUANTILES, quantiles, strict=True) if q in _MARKED
    ]
    middle = number_row(quantiles[_QUANTILES.index(0.5)])
    return Panel(
        "cumulative",
        "Cumulative distribution and quantiles",
        "The share of people up to each number, with a 95% band.",
        curve(
            line.edges[places], values, values - reach, values + reach, quantiles=marked,
            name="cumulative", title="Cumulative distribution",
            description=f"Half of all people are below {middle[0]} (95%: {middle[2]}).",
        ),
        ("share of people below", "number", "give or take", "95% interval"),
        [(f"{q:.0%}", *number_row(answer)) for q, answer in zip(_QUANTILES, quantiles, strict=True)],
    )  # fmt: skip


def _summary(found: Estimate) -> Panel:
    rows = [("mean", *number_row(found.mean())), ("variance", *number_row(found.variance()))]
    head = ("", "value", "give or take", "95% interval")
    return Panel("summary", "Mean and variance", "", None, head, rows)


# -- keys with numbers -------------------------------------------------------------------------


def _keys(found: Estimate, domain: KeyValues) -> tuple[Panel, ...]:
    top = found.top_keys(min(MOST_SHOWN, domain.keys.size))
    all_shown = len(top) == domain.keys.size
    title = (
        "Keys" if all_shown else f"The {len(top)} most frequent of {count(domain.keys.size)} keys"
    )
    frequencies = Panel(
        "keys",
        title,
        "The share of people who hold each key; lines are 95% intervals.",
        bars(
            [bar(answer) for answer in top], name="keys", title=title,
            description=f"{text(top[0].label)} is most frequent: {share_row(top[0])[0]}.",
        ),
        ("key", "frequency", "give or take", "95% interval"),
        [(text(answer.label), *share_row(answer)) for answer in top],
    )  # fmt: skip
    means = [found.mean(answer.label) for answer in top]
    interval = domain.interval
    highest = max(means, key=lambda mean: mean.value)
    return frequencies, Panel(
        "means",
        "Means of their numbers",
        "The mean of the numbers of those who hold a key; lines are 95% intervals.",
        intervals(
            [bar(mean) for mean in means], name="means", zero=False, form="number",
            title="Means of the numbers of keys", low=interval.low, high=interval.high,
            description=f"{text(highest.label)} has the highest mean, {number_row(highest)[0]}.",
        ),
        ("key", "mean", "give or take", "95% interval"),
        [(text(mean.label), *number_row(mean)) for mean in means],
    )  # fmt: skip


# -- several numbers a person --------------------------------------------------------------------


def board_of_vector(parts: Sequence[Told], reports: int) -> Board:
    """The means of all coordinates, of an estimate for each."""
    means = [
        replace(told.estimate.mean(), label=f"coordinate {place}")
        for place, told in enumerate(parts)
    ]
    interval = parts[0].estimate.domain
    assert isinstance(interval, Interval)
    all_listed = len(means) <= _MOST_ROWS
    whose = (
        "every number" if all_listed else f"the first {_MOST_ROWS} of {count(len(means))} numbers"
    )
    panel = Panel(
        "coordinates",
        "Means of coordinates",
        f"The mean of {whose} that people hold; lines are 95% intervals.",
        intervals(
            [bar(mean) for mean in means[:MOST_SHOWN]], name="coordinates", zero=False,
            title="Means of coordinates", low=interval.low, high=interval.high, form="number",
            description=f"{len(means)} means, the first {number_row(means[0])[0]}.",
        ),
        ("coordinate", "mean", "give or take", "95% interval"),
        [(str(mean.label), *number_row(mean)) for mean in means[:_MOST_ROWS]],
    )  # fmt: skip
    return Board(parts[0], (panel,), reports)

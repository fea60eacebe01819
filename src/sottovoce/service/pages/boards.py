"""Boards: what there is to see of a survey's answers, chart beside table, by kind of domain.

A board is worked out once and shown to many (:mod:`.preparing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import Questions
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.key_values import KeyValues
from sottovoce.service.analysis.answering import EstimateOptions, SurveyEstimate
from sottovoce.service.pages.charts import bars, intervals
from sottovoce.service.pages.numbers_panels import panels_of_numbers
from sottovoce.service.pages.panels import MOST_SHOWN, Board, Panel, Row, bar
from sottovoce.service.pages.words import count, number_row, share_row, text

__all__ = ["board_of", "board_of_vector", "way_of"]

_MOST_NAMED = 12
"""Coordinates without a mean that are named; of more, only how many there are."""
_MANY_PAIRS = 64


def way_of(mechanism: Mechanism) -> EstimateOptions:
    """How pages estimate: by the method that everything is answered with, or over many pairs of
    keys and numbers by the unbiased one, where likelihoods would take minutes.
    """
    domain = mechanism.domain
    many = domain.keyed is not None and domain.size > _MANY_PAIRS
    slow = many and mechanism.channel().identifies_distribution
    return EstimateOptions("unbiased" if slow else "auto", Questions(domain).goal)


def board_of(told: SurveyEstimate) -> Board:
    """The board of an estimate."""
    found = told.estimate
    domain = found.domain
    if (pairs := domain.keyed) is not None:
        return Board(told, _keys(found, pairs, told.unit), found.n)
    if (numbers := domain.numbers) is not None:
        return Board(told, panels_of_numbers(found, numbers, told.unit), found.n)
    return Board(told, (_values(found, domain, told.unit),), found.n)


# -- values ----------------------------------------------------------------------------------


def _values(found: Estimate, domain: Domain, unit: str) -> Panel:
    top = found.top(min(MOST_SHOWN, domain.size))
    rows = [(text(answer.label), *share_row(answer)) for answer in top]
    if len(top) < domain.size:
        rows.append((f"all {count(domain.size - len(top))} others", *share_row(_rest(found, top))))
    described = f"{rows[0][0]} is most frequent: {rows[0][1]}, {rows[0][3]}."
    return _ranking(
        top, rows, domain.size, name="shares", noun="value", column="share", described=described,
        unit=unit,
    )  # fmt: skip


def _ranking(
    top: Sequence[Answer], rows: Sequence[Row], size: int, *, name: str, noun: str, column: str,
    described: str, unit: str,
) -> Panel:  # fmt: skip
    """The most frequent values or keys, all of them where they are few."""
    every = len(top) == size
    title = name.capitalize() if every else f"The {len(top)} most frequent of {count(size)} {noun}s"
    return Panel(
        name,
        title,
        f"The share of {unit} with each {noun}; lines are 95% intervals.",
        bars([bar(answer) for answer in top], name=name, title=title, description=described),
        (noun, column, "give or take", "95% interval"),
        rows,
    )


def _rest(found: Estimate, top: Sequence[Answer]) -> Answer:
    """The share of all values that are not shown, with its error."""
    others = np.ones(found.domain.size)
    others[found.domain.indices([answer.label for answer in top])] = 0.0
    return found.linear(others, "others")


# -- keys with numbers -------------------------------------------------------------------------


def _keys(found: Estimate, domain: KeyValues, unit: str) -> tuple[Panel, ...]:
    top = found.top_keys(min(MOST_SHOWN, domain.keys.size))
    rows = [(text(answer.label), *share_row(answer)) for answer in top]
    described = f"{rows[0][0]} is most frequent: {rows[0][1]}."
    frequencies = _ranking(
        top, rows, domain.keys.size, name="keys", noun="key", column="frequency",
        described=described, unit=unit,
    )  # fmt: skip
    means = [found.mean(answer.label) for answer in top]
    interval = domain.interval
    highest = max(means, key=lambda mean: mean.value)
    return frequencies, Panel(
        "means",
        "Means of their numbers",
        f"The mean of the numbers of {unit} with each key; lines are 95% intervals.",
        intervals(
            [bar(mean) for mean in means], name="means", zero=False, form="number",
            title="Means of the numbers of keys", low=interval.low, high=interval.high,
            description=f"{text(highest.label)} has the highest mean, {number_row(highest)[0]}.",
        ),
        ("key", "mean", "give or take", "95% interval"),
        [(text(mean.label), *number_row(mean)) for mean in means],
    )  # fmt: skip


# -- several numbers a person --------------------------------------------------------------------


def board_of_vector(
    estimated: Mapping[int, SurveyEstimate], left_out: Sequence[int], reports: int
) -> Board:
    """The means of coordinates, of an estimate for each; those left out have too few reports."""
    means = [
        replace(told.estimate.mean(), label=f"coordinate {place}")
        for place, told in estimated.items()
    ]
    told = next(iter(estimated.values()))
    vector = told.survey.mechanism.domain.vector
    assert vector is not None
    low, high = vector.interval.span
    panel = Panel(
        "coordinates",
        "Means of coordinates",
        f"The mean of {_whose(len(means), len(left_out), vector.coordinates)}, over {told.unit}; "
        f"lines are 95% intervals.{_without(left_out, told.survey.minimum_batch)}",
        intervals(
            [bar(mean) for mean in means[:MOST_SHOWN]], name="coordinates", zero=False,
            title="Means of coordinates", low=low, high=high, form="number",
            description=f"{len(means)} means, the first {number_row(means[0])[0]}.",
        ),
        ("coordinate", "mean", "give or take", "95% interval"),
        [(str(mean.label), *number_row(mean)) for mean in means],
    )  # fmt: skip
    return Board(told, (panel,), reports)


def _whose(shown: int, left_out: int, every: int) -> str:
    """
    >>> _whose(3, 0, 3), _whose(500, 0, 1200), _whose(2, 1, 3)
    ('every number', 'the first 500 of 1,200 numbers', '2 of 3 numbers')
    """
    if shown == every:
        return "every number"
    first = "the first " if shown + left_out < every else ""
    return f"{first}{count(shown)} of {count(every)} numbers"


def _without(places: Sequence[int], minimum_batch: int) -> str:
    """
    >>> _without([4, 7], 100)
    ' Left out, with fewer than 100 reports each: coordinates 4, 7.'
    """
    if not places:
        return ""
    named = f"coordinates {', '.join(map(str, places))}"
    which = named if len(places) <= _MOST_NAMED else f"{count(len(places))} coordinates"
    return f" Left out, with fewer than {count(minimum_batch)} reports each: {which}."

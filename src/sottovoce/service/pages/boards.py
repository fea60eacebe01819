"""Boards: what there is to see of a survey's answers, chart beside table, by kind of domain.

A board is worked out once and shown to many (:mod:`.preparing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.questions import Questions
from sottovoce.answers.view import View
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.key_values import KeyValues
from sottovoce.service.analysis.answering import EstimateOptions, SurveyEstimate
from sottovoce.service.pages.charts import bars, intervals
from sottovoce.service.pages.numbers_panels import panels_of_numbers
from sottovoce.service.pages.panels import (
    MOST_SHOWN,
    Board,
    Line,
    Panel,
    Shown,
    bar,
    lines_in_words,
    table,
)
from sottovoce.service.pages.words import count, number_row, share_row

__all__ = ["board_of", "board_of_vector", "way_of"]

_MOST_NAMED = 12
"""Coordinates without a mean that are named; of more, only how many there are."""
_MANY_PAIRS = 64


def way_of(mechanism: Mechanism, part: str | None = None) -> EstimateOptions:
    """How pages estimate: by the method that everything is answered with, or over many pairs of
    keys and numbers by the unbiased one, where likelihoods would take minutes.

    ``part`` is the question of a record.
    """
    if part is not None:
        return EstimateOptions(goal=Questions(mechanism.domain.part(part)).goal, part=part)
    domain = mechanism.domain
    many = domain.keyed is not None and domain.size > _MANY_PAIRS
    slow = many and mechanism.channel().identifies_distribution
    return EstimateOptions("unbiased" if slow else "auto", Questions(domain).goal)


def board_of(told: SurveyEstimate, view: View | None = None) -> Board:
    """The board of an estimate.

    Where the view has anytime intervals, they are shown besides those of the method, which are for
    one look.
    """
    view, raw = view or View(), told.estimate
    one_look = replace(view, anytime=False)
    steady = view.of(raw) if view.anytime and raw.unbiased is not None else None
    shown = Shown(replace(told, estimate=one_look.of(raw)), steady)
    panels = _panels(shown)
    return Board(shown.told, panels, raw.n, every_look=steady is not None)


def _panels(shown: Shown) -> tuple[Panel, ...]:
    domain = shown.estimate.domain
    if (pairs := domain.keyed) is not None:
        return _keys(shown, pairs)
    if (numbers := domain.numbers) is not None:
        return panels_of_numbers(shown, numbers)
    return (_values(shown, domain),)


# -- values ----------------------------------------------------------------------------------


def _values(shown: Shown, domain: Domain) -> Panel:
    found = shown.estimate
    top = found.top(min(MOST_SHOWN, domain.size))
    lines = [shown.ask("share", label) for label in _labels(top)]
    rest: list[Line] = []
    if len(top) < domain.size:
        name = f"all {count(domain.size - len(top))} others"
        rest = [shown.ask("linear", _others(domain, top), name)]
    described = f"{lines[0].label} is most frequent: {' '.join(share_row(top[0])[::2])}."
    noise = sum(answer.is_noise for answer in top)
    return _ranking(
        lines, rest, domain.size, name="shares", noun="value", whole=shown.whole,
        described=described, noise=noise,
    )  # fmt: skip


def _labels(answers: Sequence[Answer]) -> list[Any]:
    return [answer.label for answer in answers]


def _ranking(
    lines: Sequence[Line], rest: Sequence[Line], size: int, *, name: str, noun: str, whole: str,
    described: str, noise: int = 0,
) -> Panel:  # fmt: skip
    """The most frequent values or keys, all of them where they are few.

    ``noise`` of them cannot be told from values that nobody holds.
    """
    every = len(lines) == size
    many = f"The {len(lines)} most frequent of {count(size)} {noun}s"
    title = name.capitalize() if every else many
    head, rows = table([*lines, *rest], noun, f"share of {whole}", share_row)
    return Panel(
        name,
        title,
        f"The share of {whole} with each {noun}; {lines_in_words(lines)}."
        + _noise_in_words(noise, noun),
        bars([line.bar for line in lines], name=name, title=title, description=described),
        head,
        rows,
    )


def _noise_in_words(noise: int, noun: str) -> str:
    if not noise:
        return ""
    last = f"the last {noun}" if noise == 1 else f"the last {count(noise)} {noun}s"
    return f" Noise alone can explain the shares of {last}."


def _others(domain: Domain, top: Sequence[Answer]) -> Floats:
    """Weights of the share of all values that are not shown."""
    others = np.ones(domain.size)
    others[domain.indices(_labels(top))] = 0.0
    return others


# -- keys with numbers -------------------------------------------------------------------------


def _keys(shown: Shown, domain: KeyValues) -> tuple[Panel, ...]:
    found = shown.estimate
    top = found.top_keys(min(MOST_SHOWN, domain.keys.size))
    lines = [shown.ask("frequency", key) for key in _labels(top)]
    described = f"{lines[0].label} is most frequent: {share_row(top[0])[0]}."
    frequencies = _ranking(
        lines, [], domain.keys.size, name="keys", noun="key", whole=shown.whole, described=described
    )
    means = [shown.ask("mean", key) for key in _labels(top)]
    interval = domain.interval
    highest = max(means, key=lambda line: line.answer.value)
    head, rows = table(means, "key", "mean", number_row)
    return frequencies, Panel(
        "means",
        "Means of their numbers",
        f"The mean of the numbers of {shown.whole} with each key; {lines_in_words(means)}.",
        intervals(
            [line.bar for line in means], name="means", zero=False, form="number",
            title="Means of the numbers of keys", low=interval.low, high=interval.high,
            description=f"{highest.label} has the highest mean, {number_row(highest.answer)[0]}.",
        ),
        head,
        rows,
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
        f"The mean of {_whose(len(means), len(left_out), vector.coordinates)}, over {told.whole}; "
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

"""Panels, of which boards are made: a chart and the same as a table, under a title.

All their text is plain: the templates and the charts escape it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import NotIdentified, Unfit
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.pages.charts import Bar
from sottovoce.service.pages.words import text

__all__ = [
    "MOST_SHOWN", "Board", "Line", "Panel", "Row", "Shown", "bar", "lines_in_words", "table",
]  # fmt: skip

MOST_SHOWN = 25
"""Values or keys of a survey with many that a page shows."""

Row = tuple[str, ...]
Write = Callable[[Answer], tuple[str, str, str]]


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

    told: SurveyEstimate
    panels: tuple[Panel, ...]
    reports: int
    every_look: bool = False
    """Whether it shows intervals that hold at every look."""


@dataclass(frozen=True)
class Shown:
    """An estimate to show, and the same for any number of looks where reports accumulate."""

    told: SurveyEstimate
    every_look: Estimate | None = None

    @property
    def estimate(self) -> Estimate:
        """The estimate."""
        return self.told.estimate

    @property
    def whole(self) -> str:
        """What its shares are of."""
        return self.told.whole

    def ask(self, question: str, *arguments: Any, label: str = "", **options: Any) -> Line:
        """An answer, by the method of an estimate, with its anytime interval where there is one."""
        answer = getattr(self.estimate, question)(*arguments, **options)
        steady: Answer | None = None
        if self.every_look is not None:
            with suppress(NotIdentified, Unfit):
                steady = getattr(self.every_look, question)(*arguments, **options)
        return Line(label or text(answer.label), answer, steady)


@dataclass(frozen=True)
class Line:
    """A row of a panel."""

    label: str
    answer: Answer
    every_look: Answer | None = None

    @property
    def bar(self) -> Bar:
        """As a row of a chart."""
        told, steady = self.answer, self.every_look
        outer = None if steady is None else (steady.low, steady.high)
        return Bar(self.label, told.value, told.low, told.high, outer)


def lines_in_words(lines: Sequence[Line]) -> str:
    """What the lines of a chart are."""
    if all(line.every_look is None for line in lines):
        return "lines are 95% intervals"
    return "solid lines are 95% intervals for one look, dashed ones for every look"


def table(lines: Sequence[Line], first: str, value: str, write: Write) -> tuple[Row, list[Row]]:
    """Head and rows of a table: with anytime intervals, these take the place of "give or take"."""
    if all(line.every_look is None for line in lines):
        head: Row = (first, value, "give or take", "95% interval")
        return head, [(line.label, *write(line.answer)) for line in lines]
    rows: list[Row] = []
    for line in lines:
        shown, _, interval = write(line.answer)
        steady = "—" if line.every_look is None else write(line.every_look)[2]
        rows.append((line.label, shown, interval, steady))
    return (first, value, "95%, one look", "95%, every look"), rows


def bar(answer: Answer, label: str | None = None) -> Bar:
    """An answer as a row of a chart."""
    return Bar(label or text(answer.label), answer.value, answer.low, answer.high)

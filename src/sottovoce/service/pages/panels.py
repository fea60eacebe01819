"""Panels, of which boards are made: a chart and the same as a table, under a title.

All their text is plain: the templates and the charts escape it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sottovoce.answers.answer import Answer
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.pages.charts import Bar
from sottovoce.service.pages.words import text

__all__ = ["MOST_SHOWN", "Board", "Panel", "Row", "bar"]

MOST_SHOWN = 25
"""Values or keys of a survey with many that a page shows."""

Row = tuple[str, ...]


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


def bar(answer: Answer, label: str | None = None) -> Bar:
    """An answer as a row of a chart."""
    return Bar(label or text(answer.label), answer.value, answer.low, answer.high)

"""The lines of a survey's trend: which values, which of them stands out, and its shifts.

Everything is about the population: days differ in who answers, and that alone is no change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np

from sottovoce.answers.answer import Answer
from sottovoce.answers.level_shifts import Shift
from sottovoce.answers.series import Series
from sottovoce.answers.trend import Trend
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Domain
from sottovoce.service.analysis.answering import Analyst
from sottovoce.service.analysis.trends import SurveyTrend, TrendOptions
from sottovoce.service.pages.ranges import Range
from sottovoce.service.pages.words import text
from sottovoce.store import Published
from sottovoce.surveys.survey import Survey

__all__ = ["FALSE_ALARMS", "PERIODS", "TrendLine", "TrendLines", "check_line", "trend_lines"]

FALSE_ALARMS = 0.05
"""In at most this part of surveys in which nothing changes is any window marked, on all lines together."""
PERIODS = {"day": ("week", 7), "week": ("year", 364), "month": ("year", 365)}
"""What a period is, and how many days before a window its first day is, about."""
_LINES, _DIGITS = 5, 10
_FAINT = 0.05
"""Part of the most frequent value below which others are not drawn unless they are asked for."""
_NUMBERS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "mean": ("mean", ()),
    "median": ("quantile", (0.5,)),
}


@dataclass(frozen=True)
class TrendLine:
    """A series, what chooses it in an address, and the question that it answers."""

    line: str
    series: Series
    question: tuple[str, str]
    shifts: tuple[Shift, ...] = ()

    @property
    def label(self) -> str:
        """What it is about, in words."""
        return self.line if self.line in _NUMBERS else text(self.series.label)


@dataclass(frozen=True)
class TrendLines:
    """What a trend is drawn of: its lines, the one that stands out, and that one a period before."""

    found: SurveyTrend
    lines: tuple[TrendLine, ...]
    first: TrendLine
    before: Mapping[str, Answer]
    """By window, the answer of the window a period earlier, in the range or before it."""
    choices: tuple[TrendLine, ...]
    """Those that can stand out."""

    @property
    def survey(self) -> Survey:
        """The survey."""
        return self.found.survey

    @property
    def are_shares(self) -> bool:
        """Whether they are shares of values; else numbers."""
        return self.found.trend.estimates[0].domain.numbers is None

    @property
    def others(self) -> list[TrendLine]:
        """Those that do not stand out."""
        return [each for each in self.lines if each is not self.first]


def check_line(domain: Domain, line: str) -> None:
    """Refuse what chooses no line of a domain."""
    if domain.numbers is not None:
        allowed, is_one = "mean or median", line in _NUMBERS
    else:
        allowed = f"the index of a value, from 0 to {domain.size - 1}"
        is_one = line.isdecimal() and len(line) < _DIGITS and int(line) < domain.size
    if line and not is_one:
        raise InvalidInput("line", "a survey page", allowed, line)


def trend_lines(
    analyst: Analyst, published: Published, names: Sequence[str], line: str, part: str | None = None
) -> TrendLines:
    """The lines over the windows from the first name to the last.

    ``line`` is the one that stands out; empty for the one with the clearest shift, else the first.
    ``part`` is the question of a survey of several.
    """
    found = analyst.trend(published, names[0], names[-1], TrendOptions(part=part))
    lines = _lines(found.trend, line)
    rate = FALSE_ALARMS / len(lines)
    known = tuple(replace(each, shifts=tuple(each.series.shifts(alpha=rate))) for each in lines)
    first = _standing_out(known, line)
    before = _a_period_before(analyst, published, found, first, part)
    return TrendLines(found, known, first, before, tuple(_choices(known, found.trend)))


def _lines(trend: Trend, line: str) -> list[TrendLine]:
    """The most frequent values and the one asked for; of numbers, the mean or the median."""
    domain = trend.estimates[0].domain
    if domain.numbers is not None:
        usual = "median" if domain.numbers.open_end else "mean"
        return [_number_line(trend, line or usual)]
    shares = np.average(
        [each.require_shares("a trend") for each in trend.estimates],
        axis=0,
        weights=[each.n for each in trend.estimates],
    )
    order = [int(index) for index in np.argsort(-shares, kind="stable")[:_LINES]]
    top = [index for index in order if shares[index] >= _FAINT * shares[order[0]]]
    top = top if len(top) > 1 else order[:2]
    if line and int(line) not in top:
        top = [*top[: _LINES - 1], int(line)]
    return [
        TrendLine(str(index), trend.share(label), ("share", str(label)))
        for index, label in ((index, domain.label(index)) for index in top)
    ]


def _number_line(trend: Trend, line: str) -> TrendLine:
    question, arguments = _NUMBERS[line]
    series = getattr(trend, question)(*arguments)
    written = (question, str(arguments[0]) if arguments else "1")
    return TrendLine(line, series, written)


def _standing_out(lines: Sequence[TrendLine], line: str) -> TrendLine:
    """The line asked for, else the one with the clearest shift, else the first."""
    if line:
        return next(each for each in lines if each.line == line)
    return min(lines, key=lambda each: min((shift.p for shift in each.shifts), default=1.0))


def _choices(lines: Sequence[TrendLine], trend: Trend) -> Sequence[TrendLine]:
    """All lines that may be chosen: of numbers also the one that is not drawn."""
    if lines[0].line not in _NUMBERS or trend.estimates[0].shares is None:
        return lines
    other = "median" if lines[0].line == "mean" else "mean"
    both = [lines[0], _number_line(trend, other)]
    return sorted(both, key=lambda each: list(_NUMBERS).index(each.line))


def _a_period_before(
    analyst: Analyst, published: Published, found: SurveyTrend, first: TrendLine, part: str | None
) -> dict[str, Answer]:
    """For windows of the range, the answer of the window a period earlier, in the range or before it."""
    survey = published.survey
    days = PERIODS[survey.window][1]
    start = Range(survey, found.windows, ()).days[0] - timedelta(days)
    way = TrendOptions(part=part)
    wide = analyst.trend(published, start.isoformat(), found.windows[-1], way).trend
    question, arguments = _asked(first)
    answers = getattr(wide, question)(*arguments).answers
    return {
        window: answers[index]
        for window, index in zip(wide.windows, wide.earlier, strict=True)
        if index is not None and window in found.windows
    }


def _asked(line: TrendLine) -> tuple[str, tuple[Any, ...]]:
    return _NUMBERS.get(line.line) or ("share", (line.series.label,))

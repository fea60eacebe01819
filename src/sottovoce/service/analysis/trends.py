"""Trends of a survey: how they are asked for, and how much of them at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sottovoce.answers.trend import Trend
from sottovoce.answers.window_range import windows_between
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.surveys.survey import Survey

__all__ = ["MOST_WINDOWS", "SurveyTrend", "TrendOptions", "check_size", "windows_from_to"]

MOST_WINDOWS = 400
"""Windows of one trend."""
_MOST_CELLS = 2**26
"""Cells of all its tallies: half a gigabyte."""


@dataclass(frozen=True)
class TrendOptions:
    """How a trend is made: the arguments of :func:`sottovoce.trend`."""

    about: str = "population"
    same_people: bool = False
    overlap: Any = None
    method: str = "auto"
    part: str | None = None
    """The question of a record."""

    def for_survey(self, survey: Survey) -> TrendOptions:
        """The same, with what a survey's cohorts say of who answers twice, unless something else was said."""
        if self.overlap is not None or survey.ask == "1":
            return self
        return replace(self, overlap=survey.ask)


@dataclass(frozen=True)
class SurveyTrend:
    """A trend, of which survey, and the windows below the minimum batch."""

    survey: Survey
    trend: Trend
    left_out: tuple[str, ...]

    @property
    def windows(self) -> tuple[str, ...]:
        """Those that are shown."""
        return self.trend.windows

    @property
    def reports(self) -> int:
        """Of all of them."""
        return sum(each.n for each in self.trend.estimates)


def windows_from_to(
    survey: Survey, names: list[str], first: str | None, last: str | None, owner: str
) -> list[str]:
    """The windows of a range, which may be given by their names or by days."""
    if survey.window == "once":
        raise Unfit(f"survey {survey.name!r} has no windows: everybody is asked once")
    return windows_between(names, first or None, last or None, owner, ("from", "to"))


def check_size(survey: Survey, windows: int) -> None:
    """Refuse a range that takes too long or too much memory at once."""
    most = max(2, min(MOST_WINDOWS, _MOST_CELLS // survey.mechanism.cells))
    if windows > most:
        allowed = f"a range of at most {most} windows"
        raise InvalidInput("from, to", "a trend", allowed, f"{windows} windows")

"""From when to when a page is about a survey: a form with two dates, and links to the latest windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from starlette.datastructures import QueryParams

from sottovoce.base.errors import InvalidInput
from sottovoce.service.analysis.trends import windows_from_to
from sottovoce.store import Released
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days, window_name

__all__ = ["Range", "calendar", "latest_complete", "range_of"]

_LATEST = (7, 30, 90)
"""Windows of the links to the latest ones."""


@dataclass(frozen=True)
class Range:
    """The windows that a page is about: all with reports, or those between two dates."""

    survey: Survey
    windows: tuple[str, ...]
    every: tuple[str, ...]
    first: str = ""
    last: str = ""

    @property
    def is_part(self) -> bool:
        """Whether a range was asked for."""
        return bool(self.first or self.last)

    @property
    def query(self) -> list[tuple[str, str]]:
        """What a link needs to keep the range."""
        return [(name, text) for name, text in (("from", self.first), ("to", self.last)) if text]

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day."""
        days = [
            window_days(self.survey.window, name) for name in (self.windows[0], self.windows[-1])
        ]
        return days[0][0], days[1][1]

    @property
    def links(self) -> list[tuple[str, list[tuple[str, str]], bool]]:
        """The latest windows, and all: words, the query of a link, and whether it is this range."""
        found = []
        for count in _LATEST:
            if count < len(self.every):
                chosen = self.every[-count:]
                words = f"last {count} {self.survey.window}s"
                found.append((words, [("from", chosen[0])], self.windows == chosen))
        return [*found, ("all", [], self.windows == self.every)] if found else []


def range_of(survey: Survey, query: QueryParams, released: Mapping[str, Released]) -> Range:
    """The range in an address; refused where no reports have come for it."""
    every = tuple(sorted(released))
    first, last = query.get("from", "").strip(), query.get("to", "").strip()
    if not (first or last):
        return Range(survey, every, every)
    windows = windows_from_to(survey, list(every), first, last, "a survey page")
    if not windows:
        allowed = "a range that reports have come for"
        raise InvalidInput("from, to", f"survey {survey.name!r}", allowed, f"{first} to {last}")
    return Range(survey, tuple(windows), every, first, last)


def latest_complete(survey: Survey, shown: Sequence[str], ended: date, closed: bool) -> str:
    """The latest window that has ended, or the latest where none has."""
    complete = [n for n in shown if closed or window_days(survey.window, n)[1] < ended]
    return (complete or list(shown))[-1]


def calendar(window: str, first: str, last: str, most: int) -> list[str]:
    """The windows up to the last, those without reports among them: a gap is seen as one."""
    found, name = [last], last
    while name > first and len(found) < most:
        name = window_name(window, window_days(window, name)[0] - timedelta(1))
        found.append(name)
    return found[::-1]

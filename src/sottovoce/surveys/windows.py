"""Windows of a survey: their names, their days, and whether reports for them are taken.

Days are those of UTC, on devices and on the collector.

| window | name | days |
|---|---|---|
| once | empty | all |
| day | 2026-11-16 | that day |
| week | 2026-W47 | Monday to Sunday, by ISO 8601 |
| month | 2026-11 | that month |

Windows of a kind are numbered from the one that holds 1970-01-01, which is 0, so that all devices agree
on which windows belong together without knowing when a survey began.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from sottovoce.base.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from sottovoce.surveys.survey import Survey

__all__ = [
    "check_window",
    "first_day",
    "today",
    "window_days",
    "window_index",
    "window_kind",
    "window_name",
]

_EPOCH = date(1970, 1, 1)
_FIRST_MONDAY = date(1969, 12, 29)

_FORM = {
    "once": re.compile(""),
    "day": re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "week": re.compile("([0-9]{4})-W([0-9]{2})"),
    "month": re.compile("([0-9]{4})-([0-9]{2})"),
}
_LOOKS = {"once": "empty", "day": "a day such as 2026-11-16", "week": "a week such as 2026-W47"}
_LOOKS |= {"month": "a month such as 2026-11"}


def today() -> date:
    """The day it is in UTC."""
    return datetime.now(UTC).date()


def window_name(window: str, day: date) -> str:
    """The name of the window that a day is in.

    >>> [window_name(window, date(2026, 11, 16)) for window in ("once", "day", "week", "month")]
    ['', '2026-11-16', '2026-W47', '2026-11']
    """
    if window == "once":
        return ""
    if window == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04d}-W{week:02d}"
    text = day.isoformat()
    return text if window == "day" else text[:7]


def window_days(window: str, name: str) -> tuple[date, date]:
    """The first and the last day of the window with that name.

    >>> window_days("month", "2028-02")
    (datetime.date(2028, 2, 1), datetime.date(2028, 2, 29))
    """
    found = _FORM[window].fullmatch(name) if isinstance(name, str) else None
    try:
        if found:
            return _days(window, name, found)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput("window", f"a survey with window {window!r}", _LOOKS[window], name)


def _days(window: str, name: str, found: re.Match[str]) -> tuple[date, date]:
    if window == "once":
        return date.min, date.max
    if window == "day":
        return date.fromisoformat(name), date.fromisoformat(name)
    year, number = (int(part) for part in found.groups())
    if window == "week":
        monday = date.fromisocalendar(year, number, 1)
        return monday, monday + timedelta(6)
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


def window_kind(name: str) -> str | None:
    """Which kind of window has that name: ``"day"``, ``"week"`` or ``"month"``; None for any other.

    >>> [window_kind(name) for name in ("2026-11-16", "2026-W47", "2026-11", "before")]
    ['day', 'week', 'month', None]
    """
    for window in ("day", "week", "month"):
        try:
            window_days(window, name)
        except InvalidInput:
            continue
        return window
    return None


def window_index(window: str, day: date) -> int:
    """The number of the window that a day is in: 0 is the one with 1970-01-01, earlier ones are negative.

    >>> [window_index(window, date(2026, 11, 16)) for window in ("day", "week", "month")]
    [20773, 2968, 682]
    """
    if window == "once":
        return 0
    if window == "month":
        return 12 * (day.year - _EPOCH.year) + day.month - 1
    return (day - _EPOCH).days if window == "day" else (day - _FIRST_MONDAY).days // 7


def first_day(window: str, index: int) -> date:
    """The first day of the window with that number; ``OverflowError`` or ``ValueError`` beyond year 9999.

    >>> first_day("week", 2968)
    datetime.date(2026, 11, 16)
    """
    if window == "month":
        return date(_EPOCH.year + index // 12, index % 12 + 1, 1)
    return _EPOCH + timedelta(index) if window == "day" else _FIRST_MONDAY + timedelta(7 * index)


def check_window(survey: Survey, name: str, *, earliest: date, latest: date) -> None:
    """Refuse a report for a window that has not begun, or is over, or never is.

    ``latest`` is the day it may be on the clock that is farthest ahead, ``earliest`` the
    last day of a window that is still waited for: by a clock that is right and without
    patience both are today.  What is before ``opens`` or after ``closes`` is no part of
    a window.
    """
    first, last = window_days(survey.window, name)
    if survey.opens:
        first = max(first, date.fromisoformat(survey.opens))
    if survey.closes:
        last = min(last, date.fromisoformat(survey.closes))
    if first > last or last < earliest:
        raise Refused("window-closed", f"the window {name!r} of survey {survey.name!r} is closed")
    if first > latest:
        raise Refused("clock-skew", f"the window {name!r} of {survey.name!r} has not begun")

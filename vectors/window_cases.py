"""Windows: their names and days, names that are none, and what a collector's clock says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import sottovoce as sv
from sottovoce.base.errors import Refused
from sottovoce.surveys.windows import check_window, window_days, window_index, window_name

__all__ = ["clock_vectors", "window_vectors"]

DAYS = (
    "2026-11-16", "2026-11-22", "2026-01-01", "2024-12-29", "2024-12-30", "2027-01-03", "2027-01-04",
    "2028-02-29", "2020-12-31", "2021-01-03", "2015-12-31", "2016-01-03", "2023-01-01", "2000-02-29",
    "1999-12-31", "0999-06-01", "0001-01-01", "9999-12-26", "1970-01-01", "1969-12-31", "1969-12-28",
)  # fmt: skip
NONE = {
    "once": ["2026", " ", "once"],
    "day": ["", "2026-02-29", "2026-11-31", "2026-1-6", "2026-11-16 ", "20261116", "2026-W47", "0000-01-01",
            "2026-00-01", "2026-13-01", "2026-01-00", "2026-11", "-2026-01-01", "\uff12026-01-01"],
    "week": ["", "2026-W54", "2025-W53", "2026-W00", "2026-47", "2026-w47", "2026-W7", "2026-W047", "9999-W52", "9999-W53",
             "0000-W01", "2026W47", "2026-11"],
    "month": ["", "2026-13", "2026-00", "2026", "2026-11-16", "2026-1", "0000-01", "2026-W47"],
}  # fmt: skip


def window_vectors() -> Iterator[dict[str, Any]]:
    """The window that a day is in, with its first and last day; and names of no window."""
    for window in ("day", "week", "month"):
        for text in DAYS:
            name = window_name(window, date.fromisoformat(text))
            first, last = window_days(window, name)
            days = {"first": first.isoformat(), "last": last.isoformat()}
            number = window_index(window, date.fromisoformat(text))
            yield {"window": window, "day": text, "name": name, **days, "number": number}
    for window, name in (("day", "9999-12-31"), ("month", "9999-12")):
        first, last = (day.isoformat() for day in window_days(window, name))
        yield {"window": window, "day": last, "name": name, "first": first, "last": last}
    yield {
        "window": "once",
        "day": "2026-11-16",
        "name": "",
        "first": "0001-01-01",
        "last": "9999-12-31",
    }
    for name in ("2026-W53", "2020-W53", "2015-W53", "2026-W01"):
        first, last = window_days("week", name)
        yield {"window": "week", "day": last.isoformat(), "name": name, "first": first.isoformat(), "last": last.isoformat()}  # fmt: skip
    for window, names in NONE.items():
        for name in names:
            yield {"window": window, "name": name, "refused": True}


def clock_vectors() -> Iterator[dict[str, str]]:
    """What is said of a window on some day, by a clock that is right and without patience."""
    plain = sv.mechanism("grr", sv.Categories(2), 1.0)
    asked = [("week", "2026-W47"), ("day", "2026-11-18"), ("month", "2026-11"), ("once", "")]
    spans = [("", ""), ("2026-11-18", ""), ("", "2026-11-18"), ("2026-11-18", "2026-11-18"), ("2026-11-25", ""), ("", "2026-11-10")]  # fmt: skip
    for window, name in asked:
        for opens, closes in spans:
            survey = sv.Survey("w", "?", plain, window, opens=opens, closes=closes)
            for day in _days_around(window, name, opens, closes):
                told = {"window": window, "name": name, "opens": opens, "closes": closes}
                try:
                    check_window(survey, name, earliest=day, latest=day)
                    code = ""
                except Refused as refused:
                    code = refused.code
                yield {**told, "today": day.isoformat(), "code": code}


def _days_around(window: str, name: str, opens: str, closes: str) -> list[date]:
    ends = [date.fromisoformat(text) for text in (opens, closes) if text]
    if window != "once":
        ends += window_days(window, name)
    near = {end + timedelta(by) for end in ends for by in (-1, 0, 1)}
    return sorted(near or {date(2026, 11, 16)})

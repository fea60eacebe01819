"""The same people in every window: who is asked when, what a device remembers, and what it all costs.

**Cohorts** (``ask = "1/30"``).  Every device draws one of 30 cohorts, once and privately, and is asked in the
windows whose number is that of its cohort modulo 30: in any 30 windows in a row it sends one report,
with the whole epsilon.

**Memory** (a mechanism that remembers).  All reports of a device come from permanent answers that it
keeps, so that all of them together cost what the permanent answers do.  That cost is charged at
the first report.  ``changes`` is how many further answers get a permanent one of their own; ``period``, where
it is not 0, is after how many windows memory begins anew, for everybody at the same time.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from sottovoce.base.canonical import fingerprint_of
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.windows import window_index

if TYPE_CHECKING:
    from sottovoce.surveys.survey import Survey

__all__ = [
    "DEFAULTS", "asked_windows", "asks", "check_repeating", "memory_key", "one_in",
    "period_number", "report_cost", "usual_cohorts", "windows_between", "windows_of_memory", "windows_open",
]  # fmt: skip

DEFAULTS: dict[str, Any] = {"ask": "1", "changes": 0, "period": 0}
"""What a survey has that asks everybody in every window, and pays for one answer."""
_USUAL_COHORTS = {"day": 30, "week": 12, "month": 12}
"""A person is asked about once a month, once a quarter, once a year."""
_ASK = re.compile("1(?:/([2-9]|[1-9][0-9]{1,2}|1000))?")
_MOST_CHANGES, _LONGEST_PERIOD = 1000, 10_000


def check_repeating(survey: Survey) -> None:
    """Refuse cohorts and memory that do not fit a survey."""
    owner = "Survey"
    if not isinstance(survey.ask, str) or not _ASK.fullmatch(survey.ask):
        allowed = '"1" (everybody), or "1/W" with W a whole number from 2 to 1000'
        raise InvalidInput("ask", owner, allowed, survey.ask)
    check_int(survey.changes, "changes", owner, 0, _MOST_CHANGES)
    check_int(survey.period, "period", owner, 0, _LONGEST_PERIOD)
    if survey.window == "once" and survey.ask != "1":
        hint = "A survey that is asked once has one window."
        raise InvalidInput("ask", owner, '"1" where window is "once"', survey.ask, hint=hint)
    if survey.mechanism.remembers:
        _check_memory(survey)
        return
    for name in ("changes", "period"):
        if getattr(survey, name):
            allowed = "0 unless the mechanism is memoized"
            raise InvalidInput(name, owner, allowed, getattr(survey, name))


def _check_memory(survey: Survey) -> None:
    owner = "Survey"
    if survey.window == "once":
        hint = "A device that answers once has nothing to remember: take the inner mechanism."
        allowed = f"day, week or month with {survey.mechanism.name}"
        raise InvalidInput("window", owner, allowed, survey.window, hint=hint)
    if survey.ask != "1":
        hint = "Cohorts need no memory: take the inner mechanism."
        allowed = f'"1" with {survey.mechanism.name}'
        raise InvalidInput("ask", owner, allowed, survey.ask, hint=hint)
    if survey.period == 1:
        hint = "Memory of one window is none: take the inner mechanism."
        raise InvalidInput("period", owner, "0 (never) or at least 2 windows", 1, hint=hint)
    if not survey.changes:
        return
    windows = windows_of_memory(survey)
    if windows is None:
        hint = "Without an end, changes of the answer reveal more and more."
        allowed = "0 unless opens and closes are given, or a period"
        raise InvalidInput("changes", owner, allowed, survey.changes, hint=hint)
    if survey.changes >= windows:
        allowed = f"below the number of windows that memory lasts, {windows}"
        raise InvalidInput("changes", owner, allowed, survey.changes)


# -- cohorts -----------------------------------------------------------------------------


def one_in(survey: Survey) -> int:
    """W: a device is asked in one window of so many."""
    return int(survey.ask.rpartition("/")[2])


def asks(survey: Survey, cohort: int, day: date) -> bool:
    """Whether the window of a day asks the devices of a cohort."""
    return window_index(survey.window, day) % one_in(survey) == cohort


def usual_cohorts(window: str, opens: str = "", closes: str = "") -> int:
    """W of a new survey for which none is named: 30 days, 12 weeks or 12 months.

    A survey with fewer windows has as many cohorts as windows, so that everybody is asked.

    >>> usual_cohorts("day"), usual_cohorts("week", "2026-01-05", "2026-02-01")
    (30, 4)
    """
    windows = windows_between(window, opens, closes)
    usual = _USUAL_COHORTS.get(window, 1)
    return usual if windows is None else min(usual, max(1, windows))


def windows_between(window: str, opens: str, closes: str) -> int | None:
    """How many windows there are from one day to another; None where a day is left out."""
    if window == "once":
        return 1
    if not (opens and closes):
        return None
    first, last = (window_index(window, date.fromisoformat(day)) for day in (opens, closes))
    return last - first + 1


def windows_open(survey: Survey) -> int | None:
    """How many windows a survey has from ``opens`` to ``closes``; None where it has no end."""
    return windows_between(survey.window, survey.opens, survey.closes)


def asked_windows(survey: Survey) -> int | None:
    """How many of them ask one device at most; None where the survey has no end."""
    windows = windows_open(survey)
    return None if windows is None else -(-windows // one_in(survey))


# -- memory ------------------------------------------------------------------------------


def windows_of_memory(survey: Survey) -> int | None:
    """How many windows one memory lasts; None where it has no end."""
    return survey.period or windows_open(survey)


def period_number(survey: Survey, day: date) -> int:
    """Which period a day is in: everybody's memory begins anew at the same time."""
    return window_index(survey.window, day) // survey.period if survey.period else 0


def report_cost(survey: Survey) -> float:
    """The epsilon that the first report is charged with: with memory, that of all reports together.

    Later reports from the same memory are charged 0.
    """
    mechanism: Any = survey.mechanism
    if not mechanism.remembers:
        return float(mechanism.epsilon)
    return float(mechanism.cost(survey.changes + 1, windows_of_memory(survey)))


def memory_key(survey: Survey) -> str:
    """By what a device knows a memory again, within a question: all that its cost depends on.

    With one permanent answer the cost does not depend on the number of windows, so that a survey which is
    published again, with other dates, goes on with the same memory.
    """
    terms: list[Any] = [survey.mechanism.fingerprint, survey.changes]
    if survey.period:
        terms += [survey.window, survey.period]
    elif survey.changes:
        terms += [survey.window, survey.opens, survey.closes]
    return fingerprint_of(terms)

"""Answers that are dates: a mean or a quantile of days, as days of the calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from sottovoce.answers.answer import Answer
from sottovoce.domains.interval import Interval

__all__ = ["in_days", "is_date"]


def in_days(told: Answer, domain: Interval) -> Answer:
    """An answer over dates with its value and its interval as dates; its standard error is in days."""
    dates = domain.dates
    if dates is None:
        return told
    day: Any = dates.day_at
    return replace(told, value=day(told.value), low=day(told.low), high=day(told.high), unit="days")


def is_date(told: Answer) -> bool:
    """Whether an answer is a date."""
    return isinstance(told.value, date)

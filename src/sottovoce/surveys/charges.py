"""What one report is charged with: which survey and question, which days, when, and its cost.

Two surveys ask the same thing if they have the same name, or the same question over the same
domain.  A program chooses the value to answer with by the name, a person by the question: whoever
repeats either gets the same answer, whatever the fingerprint.  Case, width and spaces of a name
or question make no difference.
"""

from __future__ import annotations

import os
import time
import unicodedata
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path

from sottovoce.base.canonical import fingerprint_of
from sottovoce.base.exact import decimal_text
from sottovoce.core.odds import round_up
from sottovoce.surveys.repeating import report_cost
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days

__all__ = ["Charge", "charge_of", "question_key", "uptime"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Charge:
    """One report of a device, as its limits see it.

    ``name`` and ``question`` are keys: equal where two surveys ask the same thing; ``series`` is equal
    where they share a budget, ``publisher`` where one key signed them; both may be empty.  ``first`` and
    ``last`` are the days of the window.  ``day`` is when the report is drawn, by the date of
    the device; ``boot`` and ``uptime`` are the same by the seconds since the machine started.
    """

    fingerprint: str
    window: str
    survey: str
    epsilon: str
    delta: str
    name: str
    question: str
    first: str
    last: str
    day: str
    boot: str
    uptime: float
    series: str = ""
    publisher: str = ""

    @property
    def cost(self) -> Fraction:
        """Its epsilon, exactly."""
        return Fraction(self.epsilon)

    def asks_like(self, other: Charge) -> bool:
        """Whether both surveys have one name, or one question."""
        return self.name == other.name or self.question == other.question


def charge_of(survey: Survey, window: str, day: date, publisher: str = "") -> Charge:
    """What a report of a survey costs, for a window, drawn on a day; ``publisher`` signed it.

    Where devices remember, that is the first report: those that follow from the same memory cost nothing.
    """
    mechanism = survey.mechanism
    delta = mechanism.certificate().delta
    first, last = window_days(survey.window, window)
    boot, seconds = uptime()
    return Charge(
        survey.fingerprint,
        window,
        survey.name,
        epsilon=decimal_text(report_cost(survey)),
        delta=decimal_text(round_up(delta)) if delta else "0",
        name=_plain(survey.name),
        question=question_key(survey),
        first=first.isoformat(),
        last=last.isoformat(),
        day=day.isoformat(),
        boot=boot,
        uptime=seconds,
        series=_plain(survey.series),
        publisher=publisher,
    )


def question_key(survey: Survey) -> str:
    """Equal where two surveys ask one question over one domain."""
    return fingerprint_of([_plain(survey.question), survey.mechanism.domain.to_json()])


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def uptime() -> tuple[str, float]:
    """Which start of the machine this is, and the seconds since: no clock that is set changes them.

    Where the system does not say which start it is, each process counts as one.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", None)  # goes on while the machine sleeps
    return _boot(), time.monotonic() if clock is None else time.clock_gettime(clock)


@cache
def _boot() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return os.urandom(16).hex()

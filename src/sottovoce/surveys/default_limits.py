"""What clients with default limits do with a survey: refuse it, or answer some of its windows."""

from __future__ import annotations

from typing import Any

from sottovoce.core.mechanism import Mechanism
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.repeating import asked_windows, one_in, report_cost
from sottovoce.surveys.survey import Survey

__all__ = ["client_doubt", "default_client", "mechanism_for_clients", "windows_answered"]

_DEFAULT = Limits()
_ADVICE = (
    "take a smaller epsilon, a longer window or fewer windows (opens and closes), ask one person in several "
    "(ask), or set the limits of your clients"
)


def windows_answered(survey: Survey) -> int | None:
    """How many windows a client with default limits answers that answers no other survey.

    None where they are all windows of a survey without an end.
    """
    cost = report_cost(survey)
    if _refusals(survey.mechanism, cost):
        return 0
    there = asked_windows(survey)
    if survey.mechanism.remembers and not survey.period:
        return there
    most = _DEFAULT.answers(cost)[0] * max(1, survey.period)
    return most if there is None else min(most, there)


def default_client(survey: Survey) -> str:
    """What a client with default limits does with a survey, in one sentence.

    >>> import sottovoce as sv
    >>> weekly = sv.mechanism("grr", sv.Categories(["yes", "no"]), 0.5)
    >>> print(default_client(sv.Survey("s", "?", weekly, "week")))
    clients with default limits answer 10 windows (week), then stop: epsilon 5 is spent (name_epsilon 5)
    >>> print(default_client(sv.Survey("s", "?", weekly)))
    clients with default limits answer it, once
    >>> print(default_client(sv.Survey("s", "?", weekly, "day", opens="2026-01-01", closes="2026-01-31", ask="1/7")))
    clients with default limits answer every window (day) that asks them, 1 of 7: at most 5
    """
    cost, window = report_cost(survey), survey.window
    if refusals := _refusals(survey.mechanism, cost):
        return _refuse(refusals)
    answered, ratio = windows_answered(survey), f", 1 of {one_in(survey)}"
    if answered != asked_windows(survey):
        kind = f" ({window})" + (f" that ask them{ratio}" if survey.ask != "1" else "")
        return f"clients with default limits {_answer(cost, kind, survey.period)}"
    if window == "once":
        return "clients with default limits answer it, once"
    if survey.ask != "1":
        asks = f"every window ({window}) that asks them{ratio}: at most {answered:,}"
        return f"clients with default limits answer {asks}"
    count = "" if answered is None else f" {answered:,};"
    paid = f"{count} {_paid(cost)}" if survey.mechanism.remembers else count.rstrip(";")
    return f"clients with default limits answer all of its windows ({window}):{paid}"


def client_doubt(survey: Survey) -> str:
    """Why clients with default limits refuse a survey, or do not answer all of it; empty if they do.

    >>> import sottovoce as sv
    >>> daily = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> print(client_doubt(sv.Survey("s", "?", daily, "day")))
    clients with default limits answer 5 windows (day), then stop: epsilon 5 is spent (name_epsilon 5); ...
    """
    answered = windows_answered(survey)
    if answered == asked_windows(survey):
        return ""
    return default_client(survey) + (f"; {_ADVICE}" if answered else "")


def mechanism_for_clients(mechanism: Mechanism) -> str:
    """The same for a mechanism that no survey has yet: of a survey that is asked again and again.

    >>> import sottovoce as sv
    >>> print(mechanism_for_clients(sv.mechanism("grr", sv.Categories(["yes", "no"]), 3.0)))
    clients with default limits refuse it: it asks for epsilon 3 per report, above maximum_epsilon 2
    """
    remembering: Any = mechanism
    cost = remembering.cost() if mechanism.remembers else mechanism.epsilon
    if refusals := _refusals(mechanism, cost):
        return _refuse(refusals)
    if mechanism.remembers:
        return f"clients with default limits answer all windows: {_paid(cost)}"
    return f"clients with default limits {_answer(cost)}"


def _answer(cost: float, kind: str = "", period: int = 0) -> str:
    """How many windows of a kind, or periods of windows, are answered."""
    times, limit = _DEFAULT.answers(cost)
    unit = f"period{'' if times == 1 else 's'} of {period:,} windows" if period else ""
    several = unit or ("window" if times == 1 else "windows")
    spent = f"epsilon {times * cost:g} is spent ({limit} {getattr(_DEFAULT, limit):g})"
    return f"answer {times:,} {several}{kind}, then stop: {spent}"


def _paid(cost: float) -> str:
    return f"the first report is charged epsilon {cost:g}, which pays for all of them"


def _refuse(refusals: list[str]) -> str:
    return f"clients with default limits refuse it: {'; '.join(refusals)}"


def _refusals(mechanism: Mechanism, cost: float) -> list[str]:
    """What a client has to be told to take part, each with why."""
    certificate = mechanism.certificate()
    most, limit = _DEFAULT.answers(cost)
    found = []
    if not most:
        what = "for all its reports" if mechanism.remembers else "per report"
        value = getattr(_DEFAULT, limit)
        found.append(f"it asks for epsilon {cost:g} {what}, above {limit} {value:g}")
    if certificate.delta:
        found.append(f"its promise may fail, and maximum_delta is {_DEFAULT.maximum_delta:g}")
    if certificate.scope is not None:
        hidden = certificate.scope.hidden
        found.append(f"it hides less than the whole answer, and scopes=({hidden!r},) is not set")
    return found

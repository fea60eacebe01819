"""What clients with default limits do with a survey: refuse it, or answer some of its windows."""

from __future__ import annotations

from datetime import date

from sottovoce.core.mechanism import Mechanism
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.survey import Survey

__all__ = [
    "client_doubt", "default_client", "mechanism_for_clients", "windows_answered", "windows_open",
]  # fmt: skip

_DEFAULT = Limits()
_DAYS = {"day": 1, "week": 7}
_ADVICE = (
    "take a smaller epsilon, a longer window or fewer windows (opens and closes), or set the limits "
    "of your clients"
)


def windows_open(survey: Survey) -> int | None:
    """How many windows a survey has from ``opens`` to ``closes``; None where it has no end."""
    if survey.window == "once":
        return 1
    if not (survey.opens and survey.closes):
        return None
    first, last = date.fromisoformat(survey.opens), date.fromisoformat(survey.closes)
    if survey.window == "month":
        return 12 * (last.year - first.year) + last.month - first.month + 1
    days = _DAYS[survey.window]
    return (last.toordinal() - 1) // days - (first.toordinal() - 1) // days + 1  # 1 is a Monday


def windows_answered(survey: Survey) -> int:
    """How many windows a client with default limits answers that answers no other survey."""
    if _refusals(survey.mechanism):
        return 0
    most, _ = _DEFAULT.answers(survey.mechanism.epsilon)
    there = windows_open(survey)
    return most if there is None else min(most, there)


def default_client(survey: Survey) -> str:
    """What a client with default limits does with a survey, in one sentence.

    >>> import sottovoce as sv
    >>> weekly = sv.mechanism("grr", sv.Categories(["yes", "no"]), 0.5)
    >>> print(default_client(sv.Survey("s", "?", weekly, "week")))
    clients with default limits answer 10 windows (week), then stop: epsilon 5 is spent (name_epsilon 5)
    >>> print(default_client(sv.Survey("s", "?", weekly)))
    clients with default limits answer it, once
    """
    if refusals := _refusals(survey.mechanism):
        return _refuse(refusals)
    answered = windows_answered(survey)
    if answered != windows_open(survey):
        return f"clients with default limits {_answer(answered, survey.mechanism, survey.window)}"
    if survey.window == "once":
        return "clients with default limits answer it, once"
    return f"clients with default limits answer all of its windows ({survey.window}): {answered:,}"


def client_doubt(survey: Survey) -> str:
    """Why clients with default limits refuse a survey, or do not answer all of it; empty if they do.

    >>> import sottovoce as sv
    >>> daily = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> print(client_doubt(sv.Survey("s", "?", daily, "day")))
    clients with default limits answer 5 windows (day), then stop: epsilon 5 is spent (name_epsilon 5); ...
    """
    answered = windows_answered(survey)
    if answered == windows_open(survey):
        return ""
    return default_client(survey) + (f"; {_ADVICE}" if answered else "")


def mechanism_for_clients(mechanism: Mechanism) -> str:
    """The same for a mechanism that no survey has yet: of a survey that is asked again and again.

    >>> import sottovoce as sv
    >>> print(mechanism_for_clients(sv.mechanism("grr", sv.Categories(["yes", "no"]), 3.0)))
    clients with default limits refuse it: it asks for epsilon 3 per report, above maximum_epsilon 2
    """
    if refusals := _refusals(mechanism):
        return _refuse(refusals)
    most, _ = _DEFAULT.answers(mechanism.epsilon)
    return f"clients with default limits {_answer(most, mechanism, '')}"


def _answer(windows: int, mechanism: Mechanism, window: str) -> str:
    _, limit = _DEFAULT.answers(mechanism.epsilon)
    several = "window" if windows == 1 else "windows"
    kind = f" ({window})" if window else ""
    spent = (
        f"epsilon {windows * mechanism.epsilon:g} is spent ({limit} {getattr(_DEFAULT, limit):g})"
    )
    return f"answer {windows:,} {several}{kind}, then stop: {spent}"


def _refuse(refusals: list[str]) -> str:
    return f"clients with default limits refuse it: {'; '.join(refusals)}"


def _refusals(mechanism: Mechanism) -> list[str]:
    """What a client has to be told to take part, each with why."""
    epsilon, certificate = mechanism.epsilon, mechanism.certificate()
    most, limit = _DEFAULT.answers(epsilon)
    found = []
    if not most:
        value = getattr(_DEFAULT, limit)
        found.append(f"it asks for epsilon {epsilon:g} per report, above {limit} {value:g}")
    if certificate.delta:
        found.append(f"its promise may fail, and maximum_delta is {_DEFAULT.maximum_delta:g}")
    if certificate.scope is not None:
        hidden = certificate.scope.hidden
        found.append(f"it hides less than the whole answer, and scopes=({hidden!r},) is not set")
    return found

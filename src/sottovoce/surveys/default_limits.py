"""What clients with default limits do with a survey: refuse it, or answer some of its windows."""

from __future__ import annotations

from datetime import date

from sottovoce.surveys.limits import Limits
from sottovoce.surveys.survey import Survey

__all__ = ["client_doubt", "windows_answered", "windows_open"]

_DEFAULT = Limits()
_DAYS = {"day": 1, "week": 7}


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
    if _refusals(survey):
        return 0
    most, _ = _DEFAULT.answers(survey.mechanism.epsilon)
    there = windows_open(survey)
    return most if there is None else min(most, there)


def client_doubt(survey: Survey) -> str:
    """Why clients with default limits refuse a survey, or do not answer all of it; empty if they do.

    >>> import sottovoce as sv
    >>> daily = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> print(client_doubt(sv.Survey("s", "?", daily, "day")))
    clients with default limits answer 5 of its windows (day), then epsilon 5 is spent (name_epsilon 5); ...
    """
    epsilon = survey.mechanism.epsilon
    if refusals := _refusals(survey):
        return f"clients with default limits refuse it: {'; '.join(refusals)}"
    answered = windows_answered(survey)
    if answered == windows_open(survey):
        return ""
    _, limit = _DEFAULT.answers(epsilon)
    return (
        f"clients with default limits answer {answered:,} of its windows ({survey.window}), then "
        f"epsilon {answered * epsilon:g} is spent ({limit} {getattr(_DEFAULT, limit):g}); take a "
        "smaller epsilon, a longer window or fewer windows (opens and closes), or set the limits "
        "of your clients"
    )


def _refusals(survey: Survey) -> list[str]:
    """What a client has to be told to take part, each with why."""
    epsilon, certificate = survey.mechanism.epsilon, survey.mechanism.certificate()
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

"""What all reports of a person tell together, in words: of fresh reports, of cohorts, of memory."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sottovoce.core.certificate import Certificate
from sottovoce.core.odds import belief, privacy_in_words, round_up, times_in_words
from sottovoce.surveys.repeating import one_in, report_cost

if TYPE_CHECKING:
    from sottovoce.surveys.survey import Survey

__all__ = ["cost_in_words", "lifetime_of", "privacy_of"]

_TOGETHER = "This holds for all your answers together, however many of them differ."


def lifetime_of(survey: Survey) -> Certificate | None:
    """The certificate of all reports of one answer, where devices remember; else None."""
    mechanism: Any = survey.mechanism
    return mechanism.certificate(reports="all") if mechanism.remembers else None


def cost_in_words(survey: Survey) -> str:
    """What is charged for one report, or for all of them, in one line.

    >>> import sottovoce as sv
    >>> daily = sv.mechanism("memoized", sv.Categories(["yes", "no"]), 1.0, lifetime=2.0)
    >>> print(cost_in_words(sv.Survey("s", "?", daily, "day")))
    epsilon 2 for all reports, 1 for one
    """
    one = f"{survey.mechanism.epsilon:g}"
    if survey.mechanism.remembers:
        span = f"in {_windows(survey.period, survey)}" if survey.period else ""
        return f"epsilon {report_cost(survey):.4g} for all reports{' ' * bool(span)}{span}, {one} for one"
    if survey.ask != "1" and survey.mechanism.open_chance is None:
        return f"epsilon {one} in any {_windows(one_in(survey), survey)} in a row"
    if survey.mechanism.open_chance is not None:
        return f"epsilon {one} per report that hides its answer; an open report reveals it"
    return f"epsilon {one} per report"


def privacy_of(survey: Survey) -> str:
    """What the privacy means, for the people asked: where devices remember, of all reports first.

    >>> import sottovoce as sv
    >>> yes_no = sv.Categories(["yes", "no"])
    >>> print(privacy_of(sv.Survey("s", "?", sv.mechanism("grr", yes_no, 1.0), "day", ask="1/30")))
    Any report is at most 2.72 times as likely under one true answer as under another.
    Someone who thought an answer was a coin flip can be at most 73.2% sure of it after seeing your report.
    Your device draws which one of 30 windows (day) asks you: in any 30 in a row you send at most one report.
    >>> daily = sv.mechanism("memoized", yes_no, 1.0, lifetime=2.0)
    >>> print(privacy_of(sv.Survey("s", "?", daily, "day")))
    All your reports together are at most 7.39 times as likely under one true answer as under another, however many windows you answer; one report at most 2.72 times.
    Someone who thought an answer was a coin flip can be at most 88.1% sure of it after seeing all your reports.
    Your first answer counts in every window. A later change is not reported, so it reveals nothing.
    """
    lifetime = lifetime_of(survey)
    if lifetime is None:
        words = privacy_in_words(survey.mechanism.certificate())
        if survey.mechanism.domain.record is not None:
            words += f"\n{_TOGETHER}"
        return words if survey.ask == "1" else f"{words}\n{_cohorts(survey)}"
    one, all_of_them = (
        times_in_words(certificate.ratio)
        for certificate in (survey.mechanism.certificate(), lifetime)
    )
    span = (
        f"in {_windows(survey.period, survey)}"
        if survey.period
        else "however many windows you answer"
    )
    lines = [
        f"All your reports together are at most {all_of_them} as likely under one true answer as under "
        f"another, {span}{_while(survey)}; one report at most {one}.",
        "Someone who thought an answer was a coin flip can be at most "
        f"{belief(lifetime.ratio):g}% sure of it after seeing all your reports{_while(survey)}.",
        _changes(survey),
    ]
    if survey.period:
        lines.append(
            f"After every {_windows(survey.period, survey)} your device begins anew, and all of this counts again."
        )
    return "\n".join(lines)


def _cohorts(survey: Survey) -> str:
    windows = _windows(one_in(survey), survey)
    return (
        f"Your device draws which one of {windows} asks you: in any {one_in(survey)} in a row you send "
        "at most one report."
    )


def _while(survey: Survey) -> str:
    return ", while your answer stays the same" if survey.changes else ""


def _changes(survey: Survey) -> str:
    if not survey.changes:
        return (
            "Your first answer counts in every window. A later change is not reported, so it reveals "
            "nothing."
        )
    several = "change is" if survey.changes == 1 else "changes are"
    cost = round_up(Fraction(report_cost(survey)))
    return (
        "Each further answer counts again. That your answer changed, and when, is not hidden. "
        f"At most {survey.changes} {several} reported: whatever your answers were, all your reports together "
        f"are at most e^{cost:g} times as likely under them as under others."
    )


def _windows(count: int, survey: Survey) -> str:
    return f"{count:,} windows ({survey.window})"

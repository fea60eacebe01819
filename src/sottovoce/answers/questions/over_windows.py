"""Questions asked of a trend: a series of answers for each."""

from __future__ import annotations

from sottovoce.answers.questions.answering import Questions
from sottovoce.answers.questions.catalogue import registered_questions
from sottovoce.answers.questions.subjects import parts_of
from sottovoce.answers.series import Series
from sottovoce.answers.trend import Trend
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import Domain

__all__ = ["check_has_trend", "check_over_windows", "has_trend", "series_of"]


def has_trend(domain: Domain) -> bool:
    """Whether a trend has answers about a domain: one value or number per person."""
    return domain.keyed is None and domain.vector is None


def check_has_trend(domain: Domain) -> None:
    """Refuse a domain that trends have no answers about."""
    if not has_trend(domain):
        raise Unfit(
            f"a trend needs one value or number per person; these reports are over {domain}"
        )


def check_over_windows(domain: Domain, questions: Questions, owner: str) -> None:
    """Refuse what a trend does not answer: no question, or one that it does not have."""
    names = [each.name for each in registered_questions() if each.in_trend]
    if not questions.asked:
        raise InvalidInput("question", owner, f"one of {', '.join(names)}", None)
    for each in questions.asked:
        if not each.question.in_trend:
            raise Unfit(f"a trend does not answer {each.name}; it answers {', '.join(names)}")
        numbers, declining = parts_of(domain).numbers, domain.may_decline is not None
        if each.question.about == "numbers" and declining:
            raise Unfit(f"a trend of a {each.name} needs numbers; these reports are over {domain}")
        if each.name in ("mean", "quantile") and numbers is not None and numbers.dates is not None:
            raise Unfit(f"a trend of a {each.name} needs numbers; these reports are over {domain}")
        if each.question.about == "numbers" and parts_of(domain).numbers is None:
            raise Unfit(f"{each.name} needs numbers (an Interval); these reports are over {domain}")


def series_of(trend: Trend, questions: Questions) -> list[tuple[str, Series]]:
    """The answers over windows, with the name of each question."""
    return [
        (
            each.name,
            getattr(trend, each.name)(*each.arguments, confidence=questions.confidence),
        )
        for each in questions.asked
    ]

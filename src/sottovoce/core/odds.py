"""What a privacy ratio means to people: odds, beliefs, and the words for them.

A report whose weights differ between values by a ratio r at most can move
anybody's odds of one value against another by a factor r at most (Bayes).  All
numbers are rounded up: a promise to people is never smaller than the truth.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sottovoce.base.exact import decimal_text
from sottovoce.core.certificate import Certificate, Scope

__all__ = ["belief", "privacy_in_words", "round_up", "times_in_words", "unopened"]


def round_up(ratio: Fraction) -> float:
    """Rounded up to three digits.

    >>> round_up(Fraction(27183, 10000))
    2.72
    """
    if ratio == 0:
        return 0.0
    digits = 2 - math.floor(math.log10(ratio))
    scaled = math.ceil(ratio * Fraction(10) ** digits)
    return float(scaled * Fraction(10) ** -digits)


def belief(ratio: Fraction, prior: Fraction = Fraction(1, 2)) -> float:
    """The most that one report makes of a belief ``prior``, in percent: ``a r / (a r + 1 - a)``.

    >>> belief(Fraction(3)), belief(Fraction(3), Fraction(1, 10))
    (75.0, 25.0)
    """
    return math.ceil(1000 * prior * ratio / (prior * ratio + 1 - prior)) / 10


def unopened(open_chance: Fraction, prior: Fraction, reports: int) -> float:
    """A belief in a sensitive value after so many reports of which none is open, in percent.

    Those with another value send no open report with chance ``m^T``, ``m = 1 - open_chance``, so that a belief a
    becomes ``a / (a + m^T (1 - a))`` on average.

    >>> opened = 1 - Fraction(36787944, 100_000_000)
    >>> [unopened(opened, Fraction(1, 10), reports) for reports in (1, 2, 5)]
    [23.2, 45.1, 94.3]
    """
    missed = (1 - open_chance) ** reports * (1 - prior)
    return math.ceil(1000 * prior / (prior + missed)) / 10


def privacy_in_words(certificate: Certificate) -> str:
    """What the privacy means, for the people asked.

    >>> print(privacy_in_words(Certificate(3, 1, Fraction(1, 100_000))))
    Except with probability 0.00001: Any report is at most 3 times as likely under one true answer as under another.
    Someone who thought an answer was a coin flip can be at most 75% sure of it after seeing your report.
    """
    ratio, delta, scope = certificate.ratio, certificate.delta, certificate.scope
    if scope is not None and scope.any_two is None:
        return _sensitive_in_words(ratio, scope)
    exception = f"Except with probability {decimal_text(round_up(delta))}: " if delta else ""
    bound = f"{exception}Any report is at most {times_in_words(ratio)} as likely under one"
    if scope is not None:
        return f"{bound} of two {certificate.between} as under the other.\n" + _scope_in_words(
            ratio, scope
        )
    return (
        f"{bound} true answer as under another.\n"
        "Someone who thought an answer was a coin flip can be at most "
        f"{belief(ratio):g}% sure of it after seeing your report."
    )


def _sensitive_in_words(ratio: Fraction, scope: Scope) -> str:
    """What protects some answers only: what that is worth to those who hold one, and to all others."""
    times = times_in_words(ratio)
    return (
        f"Only these answers are protected: {scope.named} ({scope.protects}).\n"
        f"If yours is one of them, what you send is at most {times} as likely as from any other answer, and "
        "never shows your answer for certain.\n"
        "If it is another, your device often sends it openly; anyone who sees that knows your answer, and "
        f"knows that it is none of the protected ones (an open report is {times_in_words(None)} as likely "
        "under your answer as under any other).\n"
        "A report that hides its answer is therefore a hint at a protected one, never more than "
        f"{round_up(ratio):,.9g} to 1."
    )


def _scope_in_words(ratio: Fraction, scope: Scope) -> str:
    """Beliefs in what is protected, and what is not protected."""
    sure = (
        f"Someone who knows everything else, and thought one more {scope.hidden} was a coin flip, "
        f"can be at most {belief(ratio):g}% sure of it after seeing your report"
    )
    if scope.reports > 1:
        most = belief(ratio**scope.reports)
        sure += f", and at most {most:g}% after the {scope.reports} reports that count it"
    return (
        f"{sure}.\n"
        f"This protects the {scope.hidden}, not the answer: a report may be "
        f"{times_in_words(scope.any_two)} as likely under one answer as under another."
    )


def times_in_words(ratio: Fraction | None) -> str:
    """A factor, rounded up to three digits; "unlimited times" where there is none."""
    if ratio is None:
        return "unlimited times"
    return f"{round_up(ratio):,.9g} times"

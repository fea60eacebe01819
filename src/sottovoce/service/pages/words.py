"""Numbers and labels as people read them, on every page alike."""

from __future__ import annotations

from typing import Any

from sottovoce.core.answer import Answer
from sottovoce.core.counts import Counts
from sottovoce.core.domain import Domain
from sottovoce.core.interval import Interval
from sottovoce.core.key_values import KeyValues
from sottovoce.core.vector import Vector
from sottovoce.service.pages.charts.numbers import digits_of, number, percent

__all__ = ["count", "domain_in_words", "number_row", "share_row", "short", "text"]

_LONGEST = 300
_ROUNDING = 1e-9
"""Percent below which an error is that of rounding: all values together have none."""


def count(value: float) -> str:
    """
    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


def share_row(answer: Answer) -> tuple[str, str, str]:
    """A share, give or take, and its interval.

    >>> share_row(Answer(0.4944, 0.0033, 0.4879, 0.5009))
    ('49.44%', '±0.65', '48.79% to 50.09%')
    """
    spread = 50 * (answer.high - answer.low)
    spread = spread if spread > _ROUNDING else 0.0
    digits = digits_of(spread)
    value, low, high = (percent(x, digits) for x in (answer.value, answer.low, answer.high))
    return value, f"±{number(spread, digits)}", f"{low} to {high}"


def number_row(answer: Answer) -> tuple[str, str, str]:
    """A number, give or take, and its interval, with the digits that its error leaves meaning to."""
    spread = (answer.high - answer.low) / 2
    digits = digits_of(spread)
    value, low, high = (number(x, digits) for x in (answer.value, answer.low, answer.high))
    return value, f"±{number(spread, digits)}", f"{low} to {high}"


def short(value: Any) -> str:
    """A text that fits on a page: its beginning, where it is very long."""
    told = str(value)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"


def text(label: Any) -> str:
    """What a label of a domain looks like.

    >>> text((20.0, 30.0)), text("tea"), text(None), text(("film", (0.0, 2.5)))
    ('20 to 30', 'tea', 'no pair', 'film, 0 to 2.5')
    """
    if label is None:
        return "no pair"
    if isinstance(label, tuple) and len(label) == 2 and all(isinstance(x, float) for x in label):
        return f"{label[0]:,.6g} to {label[1]:,.6g}"
    if isinstance(label, tuple):
        return ", ".join(map(text, label))
    return short(label)


def domain_in_words(domain: Domain) -> str:
    """What an answer may be, in a few words.

    >>> domain_in_words(Interval(0, 120, bins=24))
    'a number from 0 to 120'
    """
    if isinstance(domain, KeyValues):
        low, high = domain.interval.low, domain.interval.high
        held = "one of" if domain.pairs is None else f"up to {domain.pairs} of"
        return f"{held} {count(domain.keys.size)} keys, each with a number from {low:g} to {high:g}"
    if isinstance(domain, Vector):
        each = domain_in_words(domain.interval)
        return f"{count(domain.coordinates)} numbers, each {each.removeprefix('a number ')}"
    if isinstance(domain, Counts):
        return f"a whole number from 0 to {count(domain.size - 1)}"
    if isinstance(domain, Interval):
        return f"a number from {domain.low:g} to {domain.high:g}"
    return "one value" if domain.size == 1 else f"one of {count(domain.size)} values"

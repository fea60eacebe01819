"""Numbers and labels as people read them, on every page alike."""

from __future__ import annotations

import math
from typing import Any

from sottovoce.answers.answer import Answer
from sottovoce.answers.calendar import is_date
from sottovoce.base.text import label_text
from sottovoce.domains.interval import Interval
from sottovoce.service.pages.charts.numbers import digits_of, number, percent, signed

__all__ = [
    "but_for_rounding", "change_row", "count", "ends_of", "number_row", "p_text", "part_in_words",
    "reach_of", "share_row", "short", "text",
]  # fmt: skip

_LONGEST = 300
_ROUNDING = 1e-8
"""Part of a number below which its error is that of rounding, the root of one in a variance: all
values together have none."""


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
    reach = 100 * reach_of(answer, 1.0)
    digits = digits_of(reach)
    value, low, high = (percent(x, digits) for x in (answer.value, answer.low, answer.high))
    return value, f"±{number(reach, digits)}", f"{low} to {high}"


def number_row(answer: Answer) -> tuple[str, str, str]:
    """A number, give or take, and its interval, with the digits that its error leaves meaning to.

    >>> number_row(Answer(0.5, 0.5, 0.25, 2.9)), number_row(Answer(0.05, 0.0, 0.05, 0.05))
    (('0.5', '±2.4', '0.2 to 2.9'), ('0.05', '±0', '0.05 to 0.05'))
    >>> number_row(Answer(980.0, math.inf, 900.0, math.inf, unit="EUR", beyond=1000.0))
    ('980 EUR', '—', '900 to above 1,000')
    """
    if is_date(answer):
        days = 1.96 * answer.stderr
        around = f"±{number(days, digits_of(days))} days"
        return str(answer.value), around, f"{answer.low} to {answer.high}"
    parts = answer.value, answer.low, answer.high
    unit = f" {answer.unit}" if answer.unit else ""
    if answer.beyond is not None and math.isinf(answer.high):
        value, low, high = (
            f"above {number(answer.beyond)}" if math.isinf(x) else number(x) for x in parts
        )
        return f"{value}{unit}", "—", high if low == high else f"{low} to {high}"
    reach = reach_of(answer, max(map(abs, parts)))
    digits = digits_of(reach) if reach else None
    value, low, high = (number(x, digits) for x in parts)
    return f"{value}{unit}", f"±{number(reach, digits)}", f"{low} to {high}"


def change_row(
    first: Answer, second: Answer, change: Answer, numbers: bool
) -> tuple[str, str, str]:
    """A difference with its sign, its interval, and how often noise alone would do as much."""
    times = 1 if numbers else 100
    size = max(abs(first.value), abs(second.value)) if numbers else 1.0
    reach = times * reach_of(change, size)
    digits = None if numbers and not reach else digits_of(reach)
    parts = (but_for_rounding(x, size) for x in (change.value, change.low, change.high))
    value, low, high = (signed(times * x, digits) for x in parts)
    return value, f"{low} to {high}", p_text(change.p_value or 0.0)


def p_text(p: float) -> str:
    """
    >>> p_text(0.0421), p_text(1e-9)
    ('0.042', 'below 0.001')
    """
    return "below 0.001" if p < 0.0005 else f"{p:.3f}"


def reach_of(answer: Answer, size: float) -> float:
    """How far an interval reaches from its value, to the farther end; of numbers of that size."""
    return but_for_rounding(max(answer.value - answer.low, answer.high - answer.value), size)


def but_for_rounding(value: float, size: float) -> float:
    """The value, or 0 where it is what rounding leaves of numbers of that size."""
    return value if abs(value) > _ROUNDING * size else 0.0


def short(value: Any) -> str:
    """A text that fits on a page: its beginning, where it is very long."""
    told = str(value)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"


def text(label: Any) -> str:
    """What a label of a domain looks like.

    >>> text((20.0, 30.0)), text("tea"), text(None), text(("film", (0.0, 2500.0)))
    ('20 to 30', 'tea', 'no pair', 'film, 0 to 2,500')
    """
    return short(label_text(label, "{:,.6g}".format))


def ends_of(domain: Interval, start: int, stop: int) -> tuple[float, float]:
    """From where to where the bins from place ``start`` to before ``stop`` reach.

    Whole numbers are the first and the last of them: nobody is at an edge.

    >>> from sottovoce.domains.counts import Counts
    >>> ends_of(Interval(0, 120, bins=24), 0, 2), ends_of(Counts(20), 5, 10)
    ((0.0, 10.0), (5, 9))
    """
    if domain.whole:
        return domain.label(start), domain.label(stop - 1)
    return float(domain.edges[start]), float(domain.edges[stop])


def part_in_words(domain: Interval, start: int, stop: int) -> str:
    """What those bins look like.

    >>> from sottovoce.domains.counts import Counts
    >>> part_in_words(Interval(0, 120, bins=24), 0, 2), part_in_words(Counts(20), 5, 10)
    ('0 to 10', '5 to 9')
    >>> part_in_words(Counts(20), 0, 1)
    '0'
    """
    low, high = ends_of(domain, start, stop)
    if domain.whole:
        return count(low) if low == high else f"{count(low)} to {count(high)}"
    return text((low, high))

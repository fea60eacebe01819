"""Example texts for questions about a domain; empty where none is short and plain."""

from __future__ import annotations

from typing import Any

from sottovoce.answers.questions.subjects import parts_of
from sottovoce.domains.base import Domain

__all__ = [
    "count_example", "key_count_example", "key_example", "range_example", "upper_example",
    "value_example", "values_example",
]  # fmt: skip

_LONGEST_LABEL = 24
_MOST = 10
"""How many values or keys an example asks for."""


def value_example(domain: Domain) -> str:
    """One value."""
    return _values(domain, 1)


def values_example(domain: Domain) -> str:
    """Two values.

    >>> from sottovoce.domains.categories import Categories
    >>> values_example(Categories(["tea", "coffee", "water"]))
    'tea,coffee'
    """
    return _values(domain, 2)


def count_example(domain: Domain) -> str:
    """A number of values."""
    return str(min(_MOST, domain.size))


def key_example(domain: Domain) -> str:
    """One key."""
    return _values(parts_of(domain).keys or domain, 1)


def key_count_example(domain: Domain) -> str:
    """A number of keys."""
    return count_example(parts_of(domain).keys or domain)


def range_example(domain: Domain) -> str:
    """A range of numbers.

    >>> from sottovoce.domains.interval import Interval
    >>> range_example(Interval(0, 12, bins=48))
    '6:8'
    """
    return ":".join(map(_text, _bounds(domain)))


def upper_example(domain: Domain) -> str:
    """A number."""
    return _text(_bounds(domain)[1])


def _text(bound: Any) -> str:
    """A bound; whole numbers keep all their digits."""
    return str(bound) if isinstance(bound, (int, str)) else f"{bound:.6g}"


def _bounds(domain: Domain) -> tuple[Any, Any]:
    """A half and two thirds of the way, on edges of bins, or among the whole numbers."""
    numbers = parts_of(domain).numbers
    if numbers is None:
        return 20.0, 30.0
    if (dates := numbers.dates) is not None:
        middle, later = (dates.low + (dates.high - dates.low) * part for part in (1 / 2, 2 / 3))
        return str(dates.day_at(middle)), str(dates.day_at(later))
    first, second = (round(numbers.size * part) for part in (1 / 2, 2 / 3))
    second = min(max(second, first + 1), numbers.size)
    if numbers.whole:
        last = numbers.size - 1
        return numbers.label(min(first, last)), numbers.label(min(second, last))
    low, high = numbers.span
    if numbers.uneven is not None:
        bounds = numbers.uneven.bounds
        first = min(first, len(bounds) - 2)
        return bounds[first], bounds[min(max(second, first + 1), len(bounds) - 1)]
    places = (low + (high - low) * index / numbers.size for index in (first, second))
    return next(places), next(places)


def _values(domain: Domain, count: int) -> str:
    """The first values, a bin by the number in its middle."""
    numbers = parts_of(domain).numbers
    domain = domain if domain.may_decline is None else domain.may_decline.domain
    if domain is numbers and not numbers.whole and numbers.dates is None:
        labels = [f"{middle:.6g}" for middle in numbers.places[:count]]
    else:
        labels = [str(domain.label(index)) for index in range(min(count, domain.size))]
    short = all(label.isprintable() and len(label) <= _LONGEST_LABEL for label in labels)
    plain = short and not any(mark in label for label in labels for mark in '",')
    return ",".join(labels) if plain else ""

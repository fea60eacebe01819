"""From values to places: an axis, its ticks, and the numbers it refuses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sottovoce.base.errors import InvalidInput
from sottovoce.service.pages.charts.numbers import room, ticks

__all__ = ["Scale", "finite", "ordered", "series"]

LARGEST = 1e300
"""Beyond, the span of two values may leave the range of doubles."""


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high`` with the ticks on it, each ``step`` from the next."""

    low: float
    high: float
    ticks: tuple[float, ...]
    step: float

    @classmethod
    def covering(cls, values: Iterable[float], about: int = 5) -> Scale:
        """From one round number to another, around all values."""
        known = list(values)
        marks = ticks(min(known), max(known), about)
        return cls(marks[0], marks[-1], marks, marks[1] - marks[0])

    @classmethod
    def exactly(cls, values: Iterable[float], about: int = 5) -> Scale:
        """From the least value to the greatest, with the round numbers between."""
        known = list(values)
        low, high = room(min(known), max(known))
        marks = ticks(low, high, about)
        step = marks[1] - marks[0]
        slack = step * 1e-6
        inside = tuple(mark for mark in marks if low - slack <= mark <= high + slack)
        return cls(low, high, inside, step)

    def share(self, value: float) -> float:
        """Where a value lies, from 0 at ``low`` to 1 at ``high``.

        >>> Scale(-10, 30, (), 1).share(0)
        0.25
        """
        return (value - self.low) / (self.high - self.low)


def finite(value: float, parameter: str, owner: str) -> float:
    """The value as a float, if it can be drawn."""
    known = float(value)
    if not math.isfinite(known) or abs(known) > LARGEST:
        raise InvalidInput(parameter, owner, "a finite number up to 1e300 in size", value)
    return known


def series(
    values: Iterable[float], parameter: str, owner: str, length: int | None = None
) -> list[float]:
    """Numbers that can be drawn, and as many as are needed."""
    known = [finite(value, parameter, owner) for value in values]
    if length is not None and len(known) != length:
        raise InvalidInput(parameter, owner, f"{length} numbers", f"{len(known)} numbers")
    return known


def ordered(low: float, high: float, owner: str) -> tuple[float, float]:
    """Both ends of an interval; ends that crossed by rounding alone are put in order.

    >>> ordered(1.0000000000000004, 1.0, "a chart")
    (1.0, 1.0000000000000004)
    """
    if low <= high:
        return low, high
    if low - high > 1e-9 * max(abs(low), abs(high)) + 1e-12:
        raise InvalidInput("low", owner, f"at most high, {high}", low)
    return high, low

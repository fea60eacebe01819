"""Windows counted: the number of a day, week or month, so that windows have distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.windows import window_days

__all__ = ["WindowNumbers", "window_number", "window_numbers"]

_PERIODS = {"day": 7, "week": 52, "month": 12}


@dataclass(frozen=True, eq=False)
class WindowNumbers:
    """The numbers of some windows, and how many make a period: a week of days, a year of the others."""

    positions: NDArray[np.int64]
    period: int

    def sorted(self) -> WindowNumbers:
        """The same in order."""
        return WindowNumbers(np.sort(self.positions), self.period)


def window_number(window: str, name: str) -> int:
    """The number of a window among all of its kind: one more for the next.

    >>> window_number("day", "2026-11-17") - window_number("day", "2026-11-16")
    1
    >>> window_number("week", "2027-W01") - window_number("week", "2026-W53")
    1
    >>> window_number("month", "2027-01") - window_number("month", "2026-12")
    1
    """
    first, _ = window_days(window, name)
    if window == "month":
        return 12 * first.year + first.month
    days = first.toordinal()
    return days if window == "day" else (days - 1) // 7


def window_numbers(names: Sequence[str]) -> WindowNumbers | None:
    """The numbers of windows that are all days, weeks or months; None for other names."""
    for window, period in _PERIODS.items():
        try:
            found = [window_number(window, name) for name in names]
        except InvalidInput:
            continue
        return WindowNumbers(np.array(found, dtype=np.int64), period)
    return None

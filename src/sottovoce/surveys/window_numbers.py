"""Windows counted: the number of a day, week or month, so that windows have distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sottovoce.surveys.windows import window_days, window_index, window_kind

__all__ = ["WindowNumbers", "window_numbers"]

_PERIODS = {"day": 7, "week": 52, "month": 12}


class WindowNumbers(NamedTuple):
    """The numbers of some windows, and how many make a period: a week of days, a year of the others."""

    positions: list[int]
    period: int


def window_numbers(names: Sequence[str]) -> WindowNumbers | None:
    """The numbers of windows that are all days, weeks or months; None for other names."""
    kinds = {window_kind(name) for name in names}
    window = kinds.pop()
    if window is None or kinds:
        return None
    found = [window_index(window, window_days(window, name)[0]) for name in names]
    return WindowNumbers(found, _PERIODS[window])

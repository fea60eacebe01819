"""Windows counted: the number of a day, week or month, so that windows have distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.windows import window_days, window_index

__all__ = ["WindowNumbers", "window_numbers"]

_PERIODS = {"day": 7, "week": 52, "month": 12}


@dataclass(frozen=True, eq=False)
class WindowNumbers:
    """The numbers of some windows, and how many make a period: a week of days, a year of the others."""

    positions: NDArray[np.int64]
    period: int

    def sorted(self) -> WindowNumbers:
        """The same in order."""
        return WindowNumbers(np.sort(self.positions), self.period)


def window_numbers(names: Sequence[str]) -> WindowNumbers | None:
    """The numbers of windows that are all days, weeks or months; None for other names."""
    for window, period in _PERIODS.items():
        try:
            found = [window_index(window, window_days(window, name)[0]) for name in names]
        except InvalidInput:
            continue
        return WindowNumbers(np.array(found, dtype=np.int64), period)
    return None

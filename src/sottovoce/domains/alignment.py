"""A warning for batches of whole numbers in bins that do not center on them.

A bin stands for its middle.  Where all values are whole, and the whole numbers of a bin lie off its
middle, means, quantiles and ranges are biased: 0, 1, 2, ... in bins from 0 to 1, from 1 to 2, ... are
read as 0.5, 1.5, 2.5.  Only whoever holds many values is warned, and reports stay as they are: a
device that behaved differently for some values would tell them.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from sottovoce.base.callers import stacklevel_outside
from sottovoce.base.errors import Misaligned
from sottovoce.domains.interval import Interval

__all__ = ["Alignment", "warn_if_misaligned"]

_TOLERATED = 0.1
"""Parts of a bin's width by which the mean of its whole numbers may lie off its middle."""
_LOOKED_AT = 10_000
"""Values of a batch whose bins are looked at."""


class Alignment:
    """What is known of some values so far: whether they are whole, and how far off their bins lie."""

    def __init__(self, interval: Interval) -> None:
        self._interval = interval
        # A bin of a whole number centers on it; of bins on a logarithmic scale the wide ones matter.
        self._whole = not interval.whole and interval.scale == "linear"
        self._off = 0.0
        self._least, self._greatest = math.inf, -math.inf

    def add(self, values: Any) -> None:
        """Look at more values, which are in the interval."""
        numbers = np.asarray(values)
        if self._whole and numbers.size and _all_whole(numbers):
            self._least = min(self._least, float(numbers.min()))
            self._greatest = max(self._greatest, float(numbers.max()))
            self._off = max(self._off, _farthest_off(self._interval, numbers.ravel()))
        elif numbers.size:
            self._whole = False

    @property
    def misaligned(self) -> bool:
        """Whether there are different values, all whole, in bins that do not center on them."""
        far = self._off > _TOLERATED * (1 + 1e-9)
        return self._whole and self._least < self._greatest and far

    def message(self) -> str:
        """What to say of it: the same for every batch, so that Python shows it once."""
        low, high = math.ceil(self._interval.low), math.floor(self._interval.high)
        if self._interval.uneven is not None:
            return (
                f"all values are whole numbers, and bins of {self._interval} do not center on those in "
                "them: means, quantiles and ranges are biased. Take edges half a unit lower, such as "
                f"{low - 0.5:g}; if the values were rounded down, add 0.5 to each"
            )
        return (
            f"all values are whole numbers, and the bins of {self._interval} do not center on them: "
            f"means, quantiles and ranges are biased. Use Ratings({low}, {high}), or bounds that are "
            "half a unit wider; if the values were rounded down, add 0.5 to each"
        )

    def warn(self) -> None:
        """Warn the caller of sottovoce, if there is a reason."""
        if self.misaligned:
            warnings.warn(self.message(), Misaligned, stacklevel=stacklevel_outside())


def warn_if_misaligned(interval: Interval, values: Any) -> None:
    """Warn of a batch of values in an interval; never of a single value."""
    found = Alignment(interval)
    found.add(values)
    found.warn()


def _all_whole(numbers: Any) -> bool:
    return numbers.dtype.kind in "iu" or bool(np.all(numbers == np.rint(numbers)))


def _farthest_off(interval: Interval, numbers: Any) -> float:
    """The greatest distance from the middle of a bin to the mean of the whole numbers in it.

    In widths of the bin; an open one has no middle.
    """
    bins = np.unique(interval.indices(numbers[:_LOOKED_AT]))
    bins = bins[bins < interval.bins - interval.open_end]
    start, end = interval.edges_at(bins), interval.edges_at(bins + 1)
    last = np.where(
        (bins == interval.bins - 1), np.floor(end), np.ceil(end) - 1
    )  # high is in its bin
    off = np.abs((np.ceil(start) + last) / 2 - (start + end) / 2) / (end - start)
    return float(off.max(initial=0.0))

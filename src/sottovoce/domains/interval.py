"""A number between two bounds, seen through equal bins."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import decimal_text
from sottovoce.domains.base import (
    MOST_INPUTS,
    Domain,
    Indices,
    Read,
    TomlKeys,
    register_domain,
)

__all__ = ["Interval"]

_WIDTH = 16
"""Least width of a bin, in units in the last place of the larger bound."""


@register_domain
@dataclass(frozen=True)
class Interval(Domain):
    """Real numbers from ``low`` to ``high``, both included, in bins of equal width.

    A value on an inner edge belongs to the bin above it; ``high`` belongs to the last bin.

    Parameters
    ----------
    low, high : float
        The bounds.
    bins : int
        How many bins there are. Whole bounds with one bin per whole number, as in
        ``Interval(1, 5, bins=5)``, are refused: :class:`Ratings` are for whole numbers.

    Raises
    ------
    InvalidInput
        Where a bound or the number of bins is not allowed.

    Examples
    --------
    >>> age = Interval(0, 120, bins=12)
    >>> age.index(10), age.index(120), age.label(0)
    (1, 11, (0.0, 10.0))
    """

    kind: ClassVar[str] = "interval"
    ordered: ClassVar[bool] = True
    written_as: ClassVar[str] = "a number"
    toml: ClassVar[TomlKeys | None] = TomlKeys(("low", "high"), ("bins",), "low, high, bins")
    whole: ClassVar[bool] = False
    """Whether a bin holds one whole number, in its middle, and not all that lie in it."""

    low: float
    high: float
    bins: int = 256

    def __post_init__(self) -> None:
        self._fill(self.low, self.high, self.bins)
        if self.misleads:
            whole = f"Ratings({self.low:.0f}, {self.high:.0f})"
            hint = f"Whole numbers are {whole}; for real numbers take more or fewer bins."
            raise self.refusal("Interval", hint)

    @classmethod
    def agreed(cls, low: float, high: float, bins: int) -> Interval:
        """The interval of a document that was agreed on, or other bins of one.

        Nobody chooses the bins here, so that those are taken too that are :attr:`off_center`.
        """
        made = object.__new__(Interval)
        made._fill(low, high, bins)
        return made

    def _fill(self, low: Any, high: Any, bins: Any) -> None:
        """Check the bounds and the bins, and set them."""
        least = check_real(low, "low", "Interval") + 0.0  # -0 becomes 0
        above = f"a finite number above low = {least:g}"
        greatest = check_real(high, "high", "Interval", above) + 0.0
        if not least < greatest or not np.isfinite(greatest - least):
            raise InvalidInput("high", "Interval", above, high)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", greatest)
        object.__setattr__(self, "bins", check_int(bins, "bins", "Interval", 1, MOST_INPUTS))
        if self.width < _WIDTH * math.ulp(max(abs(least), abs(greatest))):
            allowed = (
                f"fewer: floats between {least:g} and {greatest:g} cannot represent so fine a grid"
            )
            raise InvalidInput("bins", "Interval", allowed, self.bins)

    @property
    def off_center(self) -> bool:
        """Whether there is one bin per whole number, without centering on it.

        So it is with whole bounds and one bin too many: ``Interval(1, 5, bins=5)`` has bins of width
        0.8, and reads 1 as 1.4 and 5 as 4.6.
        """
        whole = self.low.is_integer() and self.high.is_integer()
        return whole and self.high - self.low + 1 == self.bins

    @property
    def misleads(self) -> bool:
        """Whether nobody chooses such bins for real numbers, so that they are refused.

        Two bins are not: numbers that are scaled to be from 0 to 1 are cut in halves at times.
        """
        return self.off_center and self.bins > 2

    def refusal(self, owner: str, hint: str) -> InvalidInput:
        """The error for bins that mislead."""
        allowed = f"another number: {self.bins} bins do not center on the {self.bins} whole numbers"
        where = f"{owner} from {self.low:.0f} to {self.high:.0f}"
        return InvalidInput("bins", where, allowed, self.bins, hint=hint)

    @property
    def size(self) -> int:
        return self.bins

    @property
    def numbers(self) -> Interval:
        return self

    @property
    def span(self) -> tuple[float, float]:
        """The least and the greatest value."""
        return self.low, self.high

    @property
    def width(self) -> float:
        """The width of a bin."""
        return (self.high - self.low) / self.bins

    def edges_at(self, indices: Any) -> NDArray[np.float64]:
        """Where some bins begin: ``low + i * width``, and ``high`` for the end of the last."""
        starts = np.asarray(indices) * self.width + self.low
        return np.where(np.asarray(indices) == self.bins, self.high, starts)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The ``bins + 1`` edges."""
        return self.edges_at(np.arange(self.bins + 1))

    @property
    def midpoints(self) -> NDArray[np.float64]:
        """The middle of every bin."""
        edges = self.edges
        return (edges[:-1] + edges[1:]) / 2

    def is_one(self, values: object) -> bool:
        return isinstance(values, (str, bytes, numbers.Number, np.generic)) or values is None

    def index(self, value: Any) -> int:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            raise InvalidInput("value", str(self), self._allowed(), value)
        return int(self.indices(np.array([value], dtype=np.float64))[0])

    def indices(self, values: Any) -> Indices:
        array = np.asarray(values)
        if array.ndim != 1:
            raise InvalidInput(
                "values", str(self), "one number or a flat list", f"an array of shape {array.shape}"
            )
        self._refuse_empty(len(array), values)
        if array.dtype.kind not in "iuf":
            raise InvalidInput("values", str(self), "numbers", f"an array of dtype {array.dtype}")
        inside = (array >= self.low) & (array <= self.high)  # False for NaN
        if not inside.all():
            raise InvalidInput("value", str(self), self._allowed(), array[~inside][0].item())
        numbers_ = array.astype(np.float64)
        found = np.clip(((numbers_ - self.low) / self.width).astype(np.int64), 0, self.bins - 1)
        # Rounding may put a value on the wrong side of an edge: 0.29 / 0.01 is 28.999999999999996.
        # It cannot put it two bins away, because a bin is _WIDTH roundings of an edge wide.
        found -= numbers_ < self.edges_at(found)
        found += (numbers_ >= self.edges_at(found + 1)) & (found < self.bins - 1)
        return found

    def nearest(self, value: Any) -> Any:
        """A number, or the end of the span that is nearest to it."""
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not number or math.isnan(value):
            raise InvalidInput("value", str(self), "a number", value)
        least, greatest = self.span
        return min(max(value, least), greatest)

    def _allowed(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"

    def overlap(self, low: float, high: float) -> NDArray[np.float64]:
        """How much of each bin lies in ``[low, high]``: 0, 1, or a fraction at the ends."""
        start = check_real(low, "low", "range", self._allowed())
        stop = check_real(high, "high", "range", self._allowed())
        least, greatest = self.span
        if not least <= start <= stop <= greatest:
            raise InvalidInput("low, high", "range", f"{self._allowed()}, low first", (low, high))
        return self._covered(start, stop)

    def _covered(self, start: float, stop: float) -> NDArray[np.float64]:
        edges = self.edges
        covered = np.minimum(edges[1:], stop) - np.maximum(edges[:-1], start)
        return np.clip(covered / self.width, 0.0, 1.0)

    def below(self, x: float) -> NDArray[np.float64]:
        """How much of each bin lies up to ``x``."""
        stop = check_real(x, "x", "cdf", self._allowed())
        least, greatest = self.span
        if not least <= stop <= greatest:
            raise InvalidInput("x", "cdf", self._allowed(), x)
        return self._covered(least, stop)

    @property
    def outside_rules(self) -> tuple[str, ...]:
        return ("nearest", "refuse")

    def _replaced(self, value: Any, rule: str) -> Any:
        return self.nearest(value) if rule == "nearest" else super()._replaced(value, rule)

    def summary(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"

    def in_words(self) -> str:
        return f"{self.summary()}, seen through {self.bins:,} bins"

    def reader(self) -> Read:
        return float

    def label(self, index: int) -> Any:
        start, end = self.edges_at([index, index + 1]).tolist()
        return start, end

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": 1,
            "low": decimal_text(self.low),
            "high": decimal_text(self.high),
            "bins": self.bins,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Interval:
        return cls.agreed(float(document["low"]), float(document["high"]), document["bins"])

    def __str__(self) -> str:
        return f"Interval({self.low:g}, {self.high:g}, bins={self.bins})"

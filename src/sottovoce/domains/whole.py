"""Whole numbers, one after the other: what counts and ratings have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import Indices, check_version
from sottovoce.domains.columns import plain_column
from sottovoce.domains.interval import Interval
from sottovoce.domains.units import in_unit

__all__ = ["WholeNumbers", "unit_of"]


class WholeNumbers(Interval):
    """Whole numbers from ``first`` to ``last``, each in the middle of a bin of width 1.

    An :class:`Interval` from ``first - 1/2`` to ``last + 1/2``, so that every question about numbers
    can be asked.  No value lies between two numbers: the variance has no part for the width of a
    bin, ranges include both ends, and quantiles are whole numbers.
    """

    whole: ClassVar[bool] = True

    def __init__(self, first: int, last: int, unit: str = "") -> None:
        self._fill(first - 0.5, last + 0.5, last - first + 1, unit)

    @property
    def first(self) -> int:
        """The least number."""
        return int(self.low + 0.5)

    @property
    def last(self) -> int:
        """The greatest number."""
        return int(self.high - 0.5)

    @property
    def span(self) -> tuple[float, float]:
        return self.first, self.last

    def indices(self, values: Any) -> Indices:
        array = np.asarray(plain_column(values))
        if array.dtype.kind == "f" and array.ndim == 1:
            parts = array[np.isfinite(array) & (array != np.rint(array))]
            if len(parts):
                raise InvalidInput("value", str(self), self._allowed(), parts[0].item())
        return super().indices(array)

    def nearest(self, value: Any) -> Any:
        number = super().nearest(value)
        if math.isfinite(value) and value != int(value):
            raise InvalidInput("value", str(self), "a whole number", value)
        return number

    def _allowed(self) -> str:
        return f"a whole number from {self.first} to {self.last}"

    def summary(self) -> str:
        return in_unit(f"a whole number from {self.first:,} to {self.last:,}", self.unit)

    def in_words(self) -> str:
        return self.summary()

    def _covered(self, start: float, stop: float) -> NDArray[np.float64]:
        """Every number is in or out, and both ends are in."""
        numbers = self.first + np.arange(self.bins)
        return ((numbers >= start) & (numbers <= stop)).astype(np.float64)

    def label(self, index: int) -> int:
        return self.first + int(index)

    def _document(self, bounds: dict[str, int]) -> dict[str, Any]:
        """A document with these bounds: of version 2 where there is a unit."""
        plain = {"kind": self.kind, "version": 1, **bounds}
        return {**plain, "version": 2, "unit": self.unit} if self.unit else plain

    def _with_unit(self, table: dict[str, Any]) -> dict[str, Any]:
        """Keys of a TOML table, and the unit where there is one."""
        return {**table, "unit": self.unit} if self.unit else table

    def _told(self, arguments: str) -> str:
        """The domain as it is made."""
        unit = f", unit={self.unit!r}" if self.unit else ""
        return f"{type(self).__name__}({arguments}{unit})"


def unit_of(document: Mapping[str, Any]) -> str:
    """The unit that a document carries from version 2 on."""
    return str(document["unit"]) if check_version(document, (1, 2)) == 2 else ""

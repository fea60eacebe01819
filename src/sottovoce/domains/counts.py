"""How many: a whole number from 0 to a declared most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import MOST_INPUTS, Indices, TomlKeys, register_domain
from sottovoce.domains.interval import Interval

__all__ = ["Counts"]


@register_domain
class Counts(Interval):
    """Whole numbers from 0 to ``most``, such as neighbors, visits or children.

    An :class:`Interval` with one bin around every number, so that every question about numbers can
    be asked. No value lies between two numbers: the variance has no part for the width of a bin,
    ranges include both ends, and quantiles are whole numbers.

    Parameters
    ----------
    most : int
        The largest number.

    Examples
    --------
    >>> friends = Counts(50)
    >>> friends.size, friends.index(3), friends.label(3), friends.midpoints[3]
    (51, 3, 3, np.float64(3.0))
    >>> friends.overlap(48, 50).sum()
    np.float64(3.0)
    """

    kind: ClassVar[str] = "counts"
    toml: ClassVar[TomlKeys | None] = TomlKeys(("most",), (), "most")
    whole: ClassVar[bool] = True

    def __init__(self, most: int) -> None:
        greatest = check_int(most, "most", "Counts", 0, MOST_INPUTS - 1)
        super().__init__(-0.5, greatest + 0.5, greatest + 1)

    @property
    def most(self) -> int:
        """The greatest number."""
        return self.bins - 1

    @property
    def span(self) -> tuple[float, float]:
        return 0, self.most

    def indices(self, values: Any) -> Indices:
        array = np.asarray(values)
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
        return f"a whole number from 0 to {self.most}"

    def summary(self) -> str:
        return f"a whole number from 0 to {self.most:,}"

    def in_words(self) -> str:
        return self.summary()

    def _covered(self, start: float, stop: float) -> NDArray[np.float64]:
        """Every number is in or out, and both ends are in."""
        numbers = np.arange(self.bins)
        return ((numbers >= start) & (numbers <= stop)).astype(np.float64)

    def label(self, index: int) -> int:
        return int(index)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": 1, "most": self.most}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Counts:
        return cls(document["most"])

    def __str__(self) -> str:
        return f"Counts({self.most})"

    __repr__ = __str__

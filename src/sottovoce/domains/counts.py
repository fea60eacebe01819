"""How many: a whole number from 0 to a declared most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sottovoce.base.checks import check_int
from sottovoce.domains.base import MOST_INPUTS, TomlKeys, register_domain
from sottovoce.domains.whole import WholeNumbers, unit_of

__all__ = ["Counts"]


@register_domain
class Counts(WholeNumbers):
    """Whole numbers from 0 to ``most``, such as neighbors, visits or children.

    An :class:`Interval` with one bin around every number, so that every question about numbers can
    be asked. No value lies between two numbers: the variance has no part for the width of a bin,
    ranges include both ends, and quantiles are whole numbers.

    Parameters
    ----------
    most : int
        The largest number.
    unit : str
        What is counted, such as ``"visits"``: shown with every answer.

    Examples
    --------
    >>> friends = Counts(50)
    >>> friends.size, friends.index(3), friends.label(3), friends.midpoints[3]
    (51, 3, 3, np.float64(3.0))
    >>> friends.overlap(48, 50).sum()
    np.float64(3.0)
    """

    kind: ClassVar[str] = "counts"
    toml: ClassVar[TomlKeys | None] = TomlKeys(("most",), ("unit",), "most, unit")

    def __init__(self, most: int, *, unit: str = "") -> None:
        super().__init__(0, check_int(most, "most", "Counts", 0, MOST_INPUTS - 1), unit)

    @property
    def most(self) -> int:
        """The greatest number."""
        return self.last

    def to_json(self) -> dict[str, Any]:
        return self._document({"most": self.most})

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Counts:
        return cls(document["most"], unit=unit_of(document))

    def to_toml(self) -> dict[str, Any]:
        return self._with_unit({"most": self.most})

    def __str__(self) -> str:
        return self._told(f"{self.most}")

    __repr__ = __str__

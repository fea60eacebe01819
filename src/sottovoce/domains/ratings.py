"""Ratings: a whole number from a lowest to a highest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sottovoce.base.checks import check_int
from sottovoce.domains.base import MOST_INPUTS, TomlKeys, register_domain
from sottovoce.domains.whole import WholeNumbers, unit_of

__all__ = ["Ratings"]

_FARTHEST = 10**12
"""Bounds are at most this far from 0: doubles hold their halves exactly."""


@register_domain
class Ratings(WholeNumbers):
    """Whole numbers from ``low`` to ``high``, both included, such as ratings from 1 to 5.

    Shares, the mean, quantiles and ranges are those of the whole numbers themselves. In an
    ``Interval(1, 5, bins=5)`` they would not be: its bins are 0.8 wide and do not center on 1 to 5,
    so that the mean is biased. That is why such an interval is refused.

    Parameters
    ----------
    low, high : int
        The lowest and the highest rating, negative ones too.
    unit : str
        What the numbers are of, such as ``"stars"``: shown with every answer.

    Raises
    ------
    InvalidInput
        Where a bound is not a whole number, or ``high`` is not above ``low``.

    Examples
    --------
    >>> stars = Ratings(1, 5)
    >>> stars.size, stars.index(4), stars.label(3), stars.span
    (5, 3, 4, (1, 5))
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", stars, epsilon=3.0)
    >>> e = sv.estimate(m.simulate([50, 100, 300, 350, 200], source=sv.Seeded(1)), goal="mean")
    >>> round(e.mean().value, 1), e.mean().low < 3.55 < e.mean().high
    (3.6, True)
    """

    kind: ClassVar[str] = "ratings"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("low", "high"), ("unit",), "low, high (whole numbers), unit"
    )

    def __init__(self, low: int, high: int, *, unit: str = "") -> None:
        lowest = check_int(low, "low", "Ratings", -_FARTHEST, _FARTHEST)
        most = min(_FARTHEST, lowest + MOST_INPUTS - 1)
        super().__init__(lowest, check_int(high, "high", "Ratings", lowest + 1, most), unit)

    def to_json(self) -> dict[str, Any]:
        return self._document({"low": self.first, "high": self.last})

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Ratings:
        return cls(document["low"], document["high"], unit=unit_of(document))

    def to_toml(self) -> dict[str, Any]:
        return self._with_unit({"low": self.first, "high": self.last})

    def __str__(self) -> str:
        return self._told(f"{self.first}, {self.last}")

    __repr__ = __str__

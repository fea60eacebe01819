"""Several numbers a person, all within one interval."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.domains.base import (
    Domain,
    Indices,
    TomlKeys,
    domain_from_json,
    register_domain,
)
from sottovoce.domains.interval import Interval

__all__ = ["Vector"]


@register_domain
@dataclass(frozen=True, init=False)
class Vector(Domain):
    """Rows of numbers, the coordinates, each in one interval.

    People hold whole rows, and mechanisms randomize rows. Counted is one coordinate at a time: the
    inputs are pairs ``(coordinate, bin)``, numbered ``coordinate * bins + bin``. The share of a pair
    is the share of people with that coordinate in that bin, divided by the number of coordinates, so
    that all shares sum to 1.

    Parameters
    ----------
    interval : Interval
        The interval of every coordinate.
    size : int
        The number of coordinates.

    Examples
    --------
    >>> habits = Vector(Interval(0, 24, bins=12), 3)
    >>> habits.size, habits.coordinates
    (36, 3)
    >>> habits.rows([[7.5, 1, 0], [8, 2, 24]]).tolist()
    [[7.5, 1.0, 0.0], [8.0, 2.0, 24.0]]
    >>> habits.index((1, 2)), habits.label(13)
    (13, (1, (2.0, 4.0)))
    """

    kind: ClassVar[str] = "vector"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("low", "high", "coordinates"), ("bins",), "low, high, bins, coordinates"
    )

    interval: Interval
    coordinates: int

    def __init__(self, interval: Interval, size: int) -> None:
        if not isinstance(interval, Interval) or interval.dates is not None:
            raise InvalidInput("interval", "Vector", "an Interval of numbers", interval)
        object.__setattr__(self, "interval", interval)
        object.__setattr__(self, "coordinates", check_int(size, "size", "Vector", 1))

    @property
    def size(self) -> int:
        return self.coordinates * self.interval.bins

    @property
    def vector(self) -> Vector:
        return self

    def rows(self, values: Any) -> NDArray[np.float64]:
        """One row or many as a table of numbers; one bad number refuses the whole batch."""
        array = np.asarray(values)
        allowed = f"rows of {self.coordinates} numbers"
        if array.dtype.kind not in "iuf":
            raise InvalidInput("values", str(self), allowed, f"an array of dtype {array.dtype}")
        table = array[None] if array.ndim == 1 else array
        if table.ndim != 2 or table.shape[1] != self.coordinates:
            raise InvalidInput("values", str(self), allowed, f"an array of shape {array.shape}")
        self._refuse_empty(len(table), values)
        self.interval.indices(table.ravel())  # refuses what lies outside
        return table.astype(np.float64)

    def check(self, value: Any) -> None:
        if len(self.rows(value)) != 1 or np.ndim(value) != 1:
            raise InvalidInput("value", str(self), "a single row of numbers", value)

    def bins_of(self, values: Any) -> Indices:
        """The bin of every number of every row."""
        table = self.rows(values)
        return self.interval.indices(table.ravel()).reshape(table.shape)

    # -- inputs: pairs (coordinate, number) ------------------------------------------

    def is_one(self, values: object) -> bool:
        return (
            isinstance(values, tuple)
            and len(values) == 2
            and isinstance(values[0], numbers.Integral)
            and self.interval.is_one(values[1])
        )

    def index(self, value: Any) -> int:
        if not self.is_one(value):
            raise InvalidInput("value", str(self), "a pair (coordinate, number)", value)
        coordinate = check_int(value[0], "coordinate", str(self), 0, self.coordinates - 1)
        return coordinate * self.interval.bins + self.interval.index(value[1])

    def indices(self, values: Any) -> Indices:
        pairs = list(values)
        self._refuse_empty(len(pairs), values)
        return np.array([self.index(pair) for pair in pairs], dtype=np.int64)

    def label(self, index: int) -> tuple[int, Any]:
        coordinate, bin_ = divmod(index, self.interval.bins)
        return coordinate, self.interval.label(bin_)

    # -- in words, as JSON and TOML --------------------------------------------------

    def summary(self) -> str:
        each = self.interval.summary().removeprefix("a number ")
        return f"{self.coordinates:,} numbers, each {each}"

    def in_words(self) -> str:
        return f"{self.coordinates} numbers, each {self.interval.in_words()}"

    def to_toml(self) -> dict[str, Any]:
        if type(self.interval) is not Interval or self.interval.uneven or self.interval.unit:
            raise Unfit(f"{self} cannot be written as TOML")
        return {**self.interval.to_toml(), "coordinates": self.coordinates}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> Vector:
        numbers_ = {key: table[key] for key in table if key != "coordinates"}
        coordinates = check_int(table["coordinates"], "coordinates", "Vector", 1)
        return cls(Interval(**numbers_), coordinates)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "version": 1,
            "interval": self.interval.to_json(),
            "coordinates": self.coordinates,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Vector:
        interval: Any = domain_from_json(document["interval"])
        return cls(interval, document["coordinates"])

    def __str__(self) -> str:
        return f"Vector({self.interval}, {self.coordinates})"

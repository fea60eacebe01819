"""A key together with a number: which item, and how it was rated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sottovoce.core.categories import Categories, Label
from sottovoce.core.domain import Domain, Indices, register_domain
from sottovoce.core.errors import InvalidInput
from sottovoce.core.interval import Interval

__all__ = ["KeyValues"]


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class KeyValues(Domain):
    """Pairs ``(key, number)``; pair ``(k, bin)`` has index ``k * bins + bin``.

    >>> ratings = KeyValues(["film", "book"], 0, 5, bins=10)
    >>> ratings.index(("book", 5)), ratings.label(0)
    (19, ('film', (0.0, 0.5)))
    """

    kind: ClassVar[str] = "key-values"

    keys: Categories
    interval: Interval

    def __init__(
        self, keys: int | Iterable[Label] | Categories, low: float, high: float, bins: int = 64
    ) -> None:
        object.__setattr__(self, "keys", keys if isinstance(keys, Categories) else Categories(keys))
        object.__setattr__(self, "interval", Interval(low, high, bins))

    @property
    def size(self) -> int:
        return self.keys.size * self.interval.size

    def is_one(self, values: object) -> bool:
        return isinstance(values, tuple) and len(values) == 2 and self.keys.is_one(values[0])

    def index(self, value: Any) -> int:
        if not self.is_one(value):
            raise InvalidInput("value", str(self), "a pair (key, number)", value)
        key, number = value
        return self.keys.index(key) * self.interval.size + self.interval.index(number)

    def indices(self, values: Any) -> Indices:
        pairs = list(values)
        self._refuse_empty(len(pairs), values)
        wrong = next((pair for pair in pairs if not self.is_one(pair)), None)
        if wrong is not None:
            raise InvalidInput("values", str(self), "pairs (key, number)", wrong)
        keys = self.keys.indices([key for key, _ in pairs])
        numbers = self.interval.indices(np.array([number for _, number in pairs]))
        return keys * self.interval.size + numbers

    def label(self, index: int) -> tuple[Label, tuple[float, float]]:
        key, bin_ = divmod(index, self.interval.size)
        return self.keys.label(key), self.interval.label(bin_)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "keys": self.keys.to_json(),
            "interval": self.interval.to_json(),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> KeyValues:
        interval = Interval.from_json(document["interval"])
        keys = Categories.from_json(document["keys"])
        return cls(keys, interval.low, interval.high, interval.bins)

    def __repr__(self) -> str:
        return f"KeyValues({self.keys}, {self.interval})"

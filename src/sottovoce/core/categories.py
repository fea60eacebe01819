"""A finite set of named or numbered values."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sottovoce.core.checks import check_int
from sottovoce.core.domain import Domain, Indices, register_domain
from sottovoce.core.errors import InvalidInput, shown

__all__ = ["Categories"]

Label = str | int


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Categories(Domain):
    """One answer out of a list, or a whole number below a size.

    >>> colors = Categories(["red", "green", "blue"])
    >>> colors.size, colors.index("blue"), colors.label(0)
    (3, 2, 'red')
    >>> Categories(1024).index(17)
    17
    """

    kind: ClassVar[str] = "categories"

    values: tuple[Label, ...] | None
    count: int

    def __init__(self, values: int | Iterable[Label]) -> None:
        names: tuple[Label, ...] | None = None
        if isinstance(values, (bool, str, bytes)) or not isinstance(
            values, (numbers.Integral, Iterable)
        ):
            raise InvalidInput("values", "Categories", "a size or a list of distinct names", values)
        if isinstance(values, numbers.Integral):
            count = check_int(values, "size", "Categories", 1)
        else:
            names = tuple(_label(value) for value in values)
            count = len(names)
            if count == 0:
                raise InvalidInput("values", "Categories", "at least one name", values)
            if len(set(names)) != count:
                repeated = next(name for name in names if names.count(name) > 1)
                raise InvalidInput("values", "Categories", "distinct names", repeated)
        object.__setattr__(self, "values", names)
        object.__setattr__(self, "count", count)

    @property
    def size(self) -> int:
        return self.count

    @cached_property
    def _index_of(self) -> dict[Label, int]:
        return {name: i for i, name in enumerate(self.values or ())}

    def is_one(self, values: object) -> bool:
        return isinstance(values, (str, bytes, numbers.Number, np.generic)) or values is None

    def index(self, value: Any) -> int:
        if self.values is None:
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
                raise self._outside(value)
            if not 0 <= int(value) < self.count:
                raise self._outside(value)
            return int(value)
        try:
            return self._index_of[_label(value)]
        except (KeyError, InvalidInput):
            raise self._outside(value) from None

    def indices(self, values: Any) -> Indices:
        if self.values is not None:
            return self._named(values)
        array = np.asarray(values)
        self._check_shape(array, values)
        if array.dtype.kind not in "iu":
            raise InvalidInput(
                "values", str(self), "whole numbers", f"an array of dtype {array.dtype}"
            )
        low, high = array.min(), array.max()
        if low < 0 or high >= self.count:
            raise self._outside(int(low if low < 0 else high))
        return array.astype(np.int64, copy=False)

    def _named(self, values: Any) -> Indices:
        array = np.asarray(values)
        self._check_shape(array, values)
        if array.dtype.kind not in "UOiu":
            raise InvalidInput(
                "values", str(self), "names of the list", f"an array of dtype {array.dtype}"
            )
        if array.dtype.kind == "O":  # mixed or boxed labels: one look-up each
            return np.fromiter((self.index(v) for v in array), dtype=np.int64, count=len(array))
        distinct, inverse = np.unique(array, return_inverse=True)
        found = np.array([self.index(v) for v in distinct.tolist()], dtype=np.int64)
        return found[inverse]

    def _check_shape(self, array: np.ndarray[Any, Any], values: object) -> None:
        if array.ndim != 1:
            raise InvalidInput(
                "values", str(self), "one value or a flat list", f"an array of shape {array.shape}"
            )
        self._refuse_empty(len(array), values)

    def _outside(self, value: object) -> InvalidInput:
        if self.values is None:
            allowed = f"a whole number from 0 to {self.count - 1}"
        else:
            allowed = f"one of {shown(list(self.values), 120)}"
        return InvalidInput("value", str(self), allowed, value)

    def label(self, index: int) -> Label:
        return index if self.values is None else self.values[index]

    def to_json(self) -> dict[str, Any]:
        if self.values is None:
            return {"kind": self.kind, "size": self.count}
        return {"kind": self.kind, "values": list(self.values)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Categories:
        return cls(document["values"] if "values" in document else document["size"])

    def __repr__(self) -> str:
        return f"Categories({self.count if self.values is None else shown(list(self.values))})"


def _label(value: object) -> Label:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)):
        return int(value)
    raise InvalidInput("values", "Categories", "text or whole numbers", value)

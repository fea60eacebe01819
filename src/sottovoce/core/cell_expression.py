"""The cell of a report as arithmetic on its fields, for numpy, SQL, or whatever counts reports.

Where every report falls in one cell, a tally is a count by that cell, and the cell is whole-number
arithmetic on the fields: ``value``, ``hash * 5 + cell``, ``output * 1024 // 66000``.  A
:class:`CellExpression` says it once.  Who computes it brings an :class:`Arithmetic`.

>>> cell = FieldValue("hash") * 5 + FieldValue("cell")
>>> columns = {"hash": np.array([0, 7], dtype=np.uint8), "cell": np.array([4, 1], dtype=np.uint8)}
>>> cell.of_columns(columns)
array([ 4, 36])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.core.fields import Column

__all__ = ["Arithmetic", "CellExpression", "FieldValue"]

T = TypeVar("T")


class Arithmetic(Protocol[T]):
    """The five operations on whole numbers, none negative, of which expressions are made."""

    def field(self, name: str) -> T:
        """The field of that name."""

    def add(self, first: T, second: T) -> T:
        """``first + second``."""

    def multiply(self, first: T, factor: int) -> T:
        """``first * factor``, the factor positive."""

    def divide(self, first: T, divisor: int) -> T:
        """``first / divisor`` without its remainder, the divisor positive."""

    def at_most(self, first: T, bound: int) -> T:
        """The smaller of ``first`` and ``bound``."""


class CellExpression(ABC):
    """A whole number computed from the fields of a report: build it with ``+``, ``*`` and ``//``.

    Examples
    --------
    >>> import sottovoce as sv
    >>> sv.mechanism("olh", sv.Categories(12), epsilon=1.0).cell_expression()
    hash * 3 + cell
    """

    @abstractmethod
    def under(self, arithmetic: Arithmetic[T]) -> T:
        """The expression computed with these operations."""

    def of_columns(self, columns: Mapping[str, Column]) -> NDArray[Any]:
        """The cell of every report of a batch.  A bare field is its column itself, not a copy."""
        return self.under(_Arrays(columns))

    def __add__(self, other: CellExpression) -> CellExpression:
        return _Sum(self, other)

    def __mul__(self, factor: int) -> CellExpression:
        return _Product(self, factor)

    def __floordiv__(self, divisor: int) -> CellExpression:
        return _Quotient(self, divisor)

    def at_most(self, bound: int) -> CellExpression:
        """The smaller of this and ``bound``."""
        return _AtMost(self, bound)

    def __repr__(self) -> str:
        return self.under(_Text())


@dataclass(frozen=True, repr=False)
class FieldValue(CellExpression):
    """The value of a field."""

    name: str

    def under(self, arithmetic: Arithmetic[T]) -> T:
        return arithmetic.field(self.name)


@dataclass(frozen=True, repr=False)
class _Sum(CellExpression):
    first: CellExpression
    second: CellExpression

    def under(self, arithmetic: Arithmetic[T]) -> T:
        return arithmetic.add(self.first.under(arithmetic), self.second.under(arithmetic))


@dataclass(frozen=True, repr=False)
class _Product(CellExpression):
    first: CellExpression
    factor: int

    def under(self, arithmetic: Arithmetic[T]) -> T:
        return arithmetic.multiply(self.first.under(arithmetic), self.factor)


@dataclass(frozen=True, repr=False)
class _Quotient(CellExpression):
    first: CellExpression
    divisor: int

    def under(self, arithmetic: Arithmetic[T]) -> T:
        return arithmetic.divide(self.first.under(arithmetic), self.divisor)


@dataclass(frozen=True, repr=False)
class _AtMost(CellExpression):
    first: CellExpression
    bound: int

    def under(self, arithmetic: Arithmetic[T]) -> T:
        return arithmetic.at_most(self.first.under(arithmetic), self.bound)


class _Arrays:
    """Columns of numpy: 64-bit, except for a bare field.  Every result but a field is a new array."""

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns

    def field(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def _own(self, array: NDArray[Any]) -> NDArray[np.int64]:
        """The array as one that may be changed."""
        is_field = any(array is column for column in self._columns.values())
        return array.astype(np.int64) if is_field else array

    def add(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
        total = self._own(first)
        total += second
        return total

    def multiply(self, first: NDArray[Any], factor: int) -> NDArray[np.int64]:
        product = self._own(first)
        product *= factor
        return product

    def divide(self, first: NDArray[Any], divisor: int) -> NDArray[np.int64]:
        quotient = self._own(first)
        quotient //= divisor
        return quotient

    def at_most(self, first: NDArray[Any], bound: int) -> NDArray[np.int64]:
        least = self._own(first)
        return np.minimum(least, bound, out=least)


class _Text:
    """An expression as people write it."""

    def field(self, name: str) -> str:
        return name

    def add(self, first: str, second: str) -> str:
        return f"{first} + {second}"

    def multiply(self, first: str, factor: int) -> str:
        return f"{_grouped(first)} * {factor}"

    def divide(self, first: str, divisor: int) -> str:
        return f"{_grouped(first)} // {divisor}"

    def at_most(self, first: str, bound: int) -> str:
        return f"min({first}, {bound})"


def _grouped(text: str) -> str:
    return text if text.isidentifier() else f"({text})"

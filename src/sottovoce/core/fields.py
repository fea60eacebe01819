"""Fields of a report: what a column or the bytes of one report hold, checked; to and from Arrow.

A report is a few integers, so a field is a whole number, a row of packed bits (value v is
bit ``v % 8`` of byte ``v // 8``), or a row of whole numbers.  Columns have the
smallest unsigned type that holds them; none is ever a float.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidCell, InvalidInput
from sottovoce.core.arrow_columns import bytes_of_arrow, integers_of_arrow, rows_of_arrow

__all__ = ["BitField", "Column", "Field", "IntField", "RowField"]

Column = NDArray[Any]
Check = Callable[[bytes], bool]
"""Decides whether a payload of the right length is right in one field."""

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Codes of :mod:`struct` for unsigned numbers, by their bytes."""


def _numbers_checker(dtype: np.dtype[Any], count: int, size: int, start: int) -> Check:
    unpack = struct.Struct(f"<{count}{_CODES[dtype.itemsize]}").unpack_from
    return lambda payload: max(unpack(payload, start)) < size


@dataclass(frozen=True)
class IntField:
    """A column of whole numbers in ``[0, size)``."""

    name: str
    size: int

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.size - 1)

    @property
    def width(self) -> int:
        """Bytes of one report's number."""
        return self.dtype.itemsize

    @property
    def _allowed(self) -> str:
        return f"from 0 to {self.size - 1}"

    def empty(self, count: int) -> Column:
        return np.empty(count, dtype=self.dtype)

    def one(self, value: int) -> Column:
        """The column of a single report."""
        return np.array([value], dtype=self.dtype)

    def check(self, column: Column, owner: str) -> Column:
        """The column in its smallest type; anything outside ``[0, size)`` is refused."""
        if column.ndim != 1 or column.dtype.kind not in "iu":
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                "a flat column of whole numbers",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        if len(column):
            low, high = int(column.min()), int(column.max())
            if low < 0 or high >= self.size:
                row = int((column < 0 if low < 0 else column >= self.size).argmax())
                raise InvalidCell(self.name, row + 1, owner, self._allowed, int(column[row]))
        return column.astype(self.dtype, copy=False)

    def bytes_checker(self, start: int) -> Check:
        """Whether the number that begins at byte ``start`` of a payload is below ``size``."""
        return _numbers_checker(self.dtype, 1, self.size, start)

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        return arrow.array(column)

    def from_arrow(self, array: Any, owner: str) -> Column:
        return integers_of_arrow(array, self.name, owner, self._allowed)


@dataclass(frozen=True)
class BitField:
    """A column of ``size`` bits a report, packed into ``ceil(size / 8)`` bytes."""

    name: str
    size: int

    @property
    def width(self) -> int:
        """Bytes of one report's bits."""
        return -(-self.size // 8)

    def empty(self, count: int) -> Column:
        return np.empty((count, self.width), dtype=np.uint8)

    def one(self, value: bytes) -> Column:
        """The column of a single report."""
        return np.frombuffer(value, dtype=np.uint8).reshape(1, self.width)

    def check(self, column: Column, owner: str) -> Column:
        """The packed rows; a wrong width or a set bit beyond the last value is refused."""
        if column.ndim != 2 or column.dtype != np.uint8 or column.shape[1] != self.width:
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                f"rows of {self.width} bytes",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        spare = 8 * self.width - self.size
        if spare and len(column) and np.any(beyond := column[:, -1] >> np.uint8(8 - spare)):
            row, allowed = int(beyond.argmax()), f"zero in the {spare} bits beyond the last value"
            raise InvalidCell(self.name, row + 1, owner, allowed, "a set bit there")
        return column

    def bytes_checker(self, start: int) -> Check:
        """Whether the bits beyond the last value are zero in the bytes from ``start`` of a payload."""
        last, spare = start + self.width - 1, 8 * self.width - self.size
        return lambda payload: not payload[last] >> (8 - spare)

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        flat = arrow.py_buffer(np.ascontiguousarray(column))
        return arrow.Array.from_buffers(arrow.binary(self.width), len(column), [None, flat])

    def from_arrow(self, array: Any, owner: str) -> Column:
        return bytes_of_arrow(array, self.width, self.name, owner)


@dataclass(frozen=True)
class RowField:
    """A column of ``count`` whole numbers a report, each in ``[0, size)``."""

    name: str
    size: int
    count: int

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.size - 1).newbyteorder("<")

    @property
    def _number(self) -> IntField:
        """The field of one of its numbers."""
        return IntField(self.name, self.size)

    @property
    def width(self) -> int:
        """Bytes of one report's row."""
        return self.count * self.dtype.itemsize

    def empty(self, count: int) -> Column:
        return np.empty((count, self.count), dtype=self.dtype)

    def one(self, value: bytes) -> Column:
        """The column of a single report."""
        return np.frombuffer(value, dtype=self.dtype).reshape(1, self.count)

    def check(self, column: Column, owner: str) -> Column:
        """The rows in their smallest type; a wrong length or a number outside is refused."""
        if column.ndim != 2 or column.dtype.kind not in "iu" or column.shape[1] != self.count:
            raise InvalidInput(
                f"column {self.name!r}",
                owner,
                f"rows of {self.count} whole numbers",
                f"shape {column.shape}, dtype {column.dtype}",
            )
        try:
            whole = self._number.check(column.ravel(), owner)
        except InvalidCell as error:
            raise error.of_rows(self.count) from None
        return whole.reshape(column.shape).astype(self.dtype, copy=False)

    def bytes_checker(self, start: int) -> Check:
        """Whether the numbers that begin at byte ``start`` of a payload are all below ``size``."""
        return _numbers_checker(self.dtype, self.count, self.size, start)

    def to_arrow(self, column: Column, arrow: Any) -> Any:
        flat = arrow.array(np.ascontiguousarray(column).ravel())
        return arrow.FixedSizeListArray.from_arrays(flat, self.count)

    def from_arrow(self, array: Any, owner: str) -> Column:
        return rows_of_arrow(array, self.count, self.name, owner, self._number._allowed)


Field = IntField | BitField | RowField

"""Columns of Arrow data as numpy arrays, whatever type an engine gave them.

We write the smallest unsigned integers, and bytes and lists of a fixed length.  Other engines
write what they have: Spark has signed integers only, reads a 64-bit unsigned one as
``decimal(20, 0)``, and bytes and lists have no fixed length there.  What is read here is whole
numbers and rows of one length; anything else is refused by its column and row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidCell, InvalidInput
from sottovoce.base.extras import optional

__all__ = ["bytes_of_arrow", "flat_array", "integers_of_arrow", "rows_of_arrow"]


def flat_array(column: Any) -> Any:
    """One Arrow array, from an array or the chunks of a table's column."""
    return column.combine_chunks() if hasattr(column, "chunks") else column


def integers_of_arrow(array: Any, name: str, owner: str, allowed: str) -> NDArray[Any]:
    """Whole numbers: integers of any type, decimals without places, or a dictionary of them."""
    arrow = optional("pyarrow", extra="analyse", purpose="reading Arrow data")
    types = arrow.types
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not (types.is_integer(array.type) or _is_whole_decimal(array.type, types)):
        raise InvalidInput(f"column {name!r}", owner, "of whole numbers", f"type {array.type}")
    _refuse_nulls(array, name, owner, allowed)
    if types.is_decimal(array.type):
        try:
            array = array.cast(arrow.uint64())
        except arrow.ArrowInvalid:
            wrong = next(i for i, x in enumerate(array) if not 0 <= x.as_py() < 2**64)
            given = int(array[wrong].as_py())
            raise InvalidCell(name, wrong + 1, owner, allowed, given) from None
    return np.asarray(array.to_numpy(zero_copy_only=False))


def bytes_of_arrow(array: Any, width: int, name: str, owner: str) -> NDArray[np.uint8]:
    """Rows of ``width`` bytes, from binary of that length or of any."""
    types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
    kind = array.type
    fixed = kind.byte_width if types.is_fixed_size_binary(kind) else None
    varies = types.is_binary(kind) or types.is_large_binary(kind)
    start = _first_of_rows(array, width, name, owner, f"{width} bytes", fixed=fixed, varies=varies)
    data = array.buffers()[2 if varies else 1]
    if not len(array):
        return np.zeros((0, width), dtype=np.uint8)
    flat = np.frombuffer(data, dtype=np.uint8)[start : start + len(array) * width]
    return flat.reshape(len(array), width)


def rows_of_arrow(array: Any, count: int, name: str, owner: str, allowed: str) -> NDArray[Any]:
    """Rows of ``count`` whole numbers, from lists of that length or of any."""
    types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
    kind = array.type
    fixed = kind.list_size if types.is_fixed_size_list(kind) else None
    varies = types.is_list(kind) or types.is_large_list(kind)
    _first_of_rows(array, count, name, owner, f"{count} whole numbers", fixed=fixed, varies=varies)
    try:
        flat = integers_of_arrow(array.flatten(), name, owner, allowed)
    except InvalidCell as error:
        raise error.of_rows(count) from None
    return flat.reshape(-1, count)


def _is_whole_decimal(kind: Any, types: Any) -> bool:
    return types.is_decimal(kind) and kind.scale == 0


def _refuse_nulls(array: Any, name: str, owner: str, allowed: str) -> None:
    if array.null_count:
        row = int(array.is_null().to_numpy(zero_copy_only=False).argmax()) + 1
        raise InvalidCell(name, row, owner, allowed, None)


def _first_of_rows(
    array: Any, width: int, name: str, owner: str, allowed: str, *, fixed: int | None, varies: bool
) -> int:
    """Where the values of rows of ``width`` start: all of a ``fixed`` length, or of any if it ``varies``."""
    wrong_type = InvalidInput(
        f"column {name!r}", owner, f"of {allowed} per row", f"type {array.type}"
    )
    if fixed is None and not varies:
        raise wrong_type
    _refuse_nulls(array, name, owner, allowed)
    if varies:
        return _start(array, width, name, owner, allowed)
    if fixed != width:
        raise wrong_type
    return int(array.offset) * width


def _start(array: Any, width: int, name: str, owner: str, allowed: str) -> int:
    """Where the values of rows of any length start; rows that do not have ``width`` are refused."""
    types = optional("pyarrow", extra="analyse", purpose="reading Arrow data").types
    large = types.is_large_binary(array.type) or types.is_large_list(array.type)
    if not len(array):
        return 0
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64 if large else np.int32)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    lengths = np.diff(offsets)
    if np.any(lengths != width):
        row = int(np.flatnonzero(lengths != width)[0])
        raise InvalidCell(name, row + 1, owner, allowed, int(lengths[row]))
    return int(offsets[0])

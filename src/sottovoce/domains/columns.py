"""Columns of pandas, Polars and Arrow, as what domains read: arrays of numpy, or lists.

Nothing is imported: a column is known by the module of its class.  What is missing is refused with its
row, never taken for a value.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput

__all__ = ["missing_row", "plain_column", "refuse_missing"]

_PLAIN = "biufM"
"""Kinds of arrays that are handed on as they are: truth values, numbers, times."""


def plain_column(values: Any) -> Any:
    """A column as an array of numbers, truth values or times, else as a list; all else as it is.

    Categories are their values, decimals floats, dictionaries their entries.
    """
    module = type(values).__module__.partition(".")[0]
    read = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}.get(module)
    return values if read is None else read(values)


def _of_pandas(column: Any) -> Any:
    if not hasattr(column, "dtype") or getattr(column, "ndim", 1) != 1:
        return column  # a timestamp, or a whole table
    _refuse_at(np.flatnonzero(np.asarray(column.isna())), "a missing value (NaN, NaT or NA)")
    plain = getattr(column.dtype, "numpy_dtype", column.dtype)
    kind = getattr(plain, "kind", "O")
    if isinstance(plain, np.dtype) and kind in _PLAIN:
        return np.asarray(column.to_numpy(dtype=plain))
    return _listed(column.astype(object).tolist())


def _of_polars(column: Any) -> Any:
    if not hasattr(column, "null_count") or not hasattr(column, "to_list"):
        return column
    if column.null_count():
        _refuse_at(np.flatnonzero(column.is_null().to_numpy()), "a missing value (null)")
    if column.dtype.is_numeric() and not column.dtype.is_decimal():
        return column.to_numpy()
    return _listed(column.to_list())


def _of_arrow(column: Any) -> Any:
    if not hasattr(column, "null_count") or not hasattr(column, "to_pylist"):
        return column.as_py() if hasattr(column, "as_py") else column
    if column.null_count:
        nulls = np.asarray(column.is_null().to_pylist())
        _refuse_at(np.flatnonzero(nulls), "a missing value (null)")
    name = str(column.type)
    if name.startswith(("int", "uint", "float", "double", "halffloat")):
        return np.asarray(column.to_numpy())
    return _listed(column.to_pylist())


def _listed(values: list[Any]) -> Any:
    """A list; of truth values an array, and decimals as floats."""
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        return np.array(values, dtype=bool)
    return [float(value) if isinstance(value, Decimal) else value for value in values]


def _refuse_at(rows: Any, what: str) -> None:
    if len(rows):
        allowed = "an answer in every row"
        given = f"{what} in row {int(rows[0])}"
        raise InvalidInput("values", "a column", allowed, given, hint=_HINT)


_HINT = (
    "Leave such rows out; or, where they stand for people who declined, ask with MayDecline and put its "
    "label there."
)


def missing_row(values: Any) -> int | None:
    """The first row with None, NaN, NaT or NA; None where there is no such row."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fM":
        rows = np.flatnonzero(np.isnat(values) if values.dtype.kind == "M" else np.isnan(values))
        return int(rows[0]) if len(rows) else None
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return None
    return next((row for row, value in enumerate(values) if _is_missing(value)), None)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating, Decimal)) and math.isnan(value)


def refuse_missing(values: Any) -> None:
    """Refuse a batch that lacks an answer, with the row: asked where a batch could not be read.

    A single value is refused by its domain.
    """
    row = missing_row(values)
    if row is not None and len(values) > 1:
        _refuse_at([row], f"a missing value ({values[row]})")

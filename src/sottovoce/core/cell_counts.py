"""Counts by cell that something else made, such as a database: checked, and laid out as a tally.

A query cannot raise an error for one row.  So a row that has no cell is counted under a negative
number that says why: ``-(2 i + 1)`` where its field i is empty, ``-(2 i + 2)`` where that is
outside what the field may hold.  Such counts are refused here, with their number.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.canonical import LARGEST_INTEGER
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.core.fields import IntField

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["cells_from_counts", "number_of_empty", "number_of_outside"]


def number_of_empty(index: int) -> int:
    """What a report is counted under whose field ``index`` is empty."""
    return -(2 * index + 1)


def number_of_outside(index: int) -> int:
    """What a report is counted under whose field ``index`` is outside what it may hold."""
    return -(2 * index + 2)


def cells_from_counts(
    mechanism: Mechanism, cells: Any, counts: Any
) -> tuple[NDArray[np.int64], int]:
    """One count per cell of the mechanism, zero for the cells that are not listed; and their sum."""
    owner = f"tally of {mechanism.name}"
    numbers = _whole_numbers(cells, "cells", owner)
    reports = _whole_numbers(counts, "counts", owner)
    if len(numbers) != len(reports):
        allowed = f"as many as cells ({len(numbers)})"
        raise InvalidInput("counts", owner, allowed, f"{len(reports)} counts")
    if len(reports) and not 0 <= reports.min() <= reports.max() <= LARGEST_INTEGER:
        wrong = int(reports.min() if reports.min() < 0 else reports.max())
        raise InvalidInput("counts", owner, f"from 0 to {LARGEST_INTEGER}", wrong)
    _refuse_uncounted(mechanism, numbers, reports)
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < mechanism.cells:
        wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise InvalidInput("cells", owner, f"from 0 to {mechanism.cells - 1}", wrong)
    order = np.sort(numbers)
    repeated = order[1:][order[1:] == order[:-1]]
    if len(repeated):
        hint = "To merge counts, make a tally of each and add the tallies."
        raise InvalidInput("cells", owner, "distinct", f"cell {repeated[0]} twice", hint=hint)
    found = np.zeros(mechanism.cells, dtype=np.int64)
    found[numbers] = reports
    return found, sum(reports.tolist())  # of Python: it has no largest number


def _whole_numbers(values: Any, parameter: str, owner: str) -> NDArray[np.int64]:
    """A flat array of 64-bit whole numbers; decimals pass where they are whole, floats never do."""
    array = np.asarray(values)
    if array.ndim == 1 and array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iuO":
        allowed = "a flat sequence of whole numbers"
        raise InvalidInput(parameter, owner, allowed, f"shape {array.shape}, dtype {array.dtype}")
    if array.dtype.kind == "O":
        array = np.array([_whole(each, parameter, owner) for each in array], dtype=object)
    low, high = int(array.min()), int(array.max())
    if low < -(2**63) or high >= 2**63:
        wrong = low if low < 0 else high
        raise InvalidInput(parameter, owner, "whole numbers of 64 bits", wrong)
    return array.astype(np.int64)


def _whole(value: Any, parameter: str, owner: str) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
    if not whole:
        raise InvalidInput(parameter, owner, "whole numbers, none of them empty", value)
    return int(value)


def _refuse_uncounted(
    mechanism: Mechanism, numbers: NDArray[np.int64], reports: NDArray[np.int64]
) -> None:
    """Refuse counts of reports that have no cell, and say how many have which fault."""
    faults = []
    for index, field in enumerate(mechanism.fields):
        empty = int(reports[numbers == number_of_empty(index)].sum())
        outside = int(reports[numbers == number_of_outside(index)].sum())
        if empty:
            faults.append(f"{empty:,} with an empty column {field.name!r}")
        if outside:
            assert isinstance(field, IntField)  # others have no single number to compare
            allowed = f"whole numbers from 0 to {field.size - 1}"
            faults.append(f"{outside:,} with column {field.name!r} outside its {allowed}")
    if faults:
        raise CorruptBytes(
            f"the counts include reports that have no cell of {mechanism}: {', '.join(faults)}. "
            "Correct or exclude those rows, then count again"
        )

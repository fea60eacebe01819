"""The compiled inner loop of :mod:`sottovoce.kernels.sets`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_rows"]

_BLOCK = 1024
"""Rows whose sums are kept in the nearest cache while all their bytes are looked up."""


@njit(nogil=True, cache=True)
def add_rows(columns: Any, counts: Any, tables: Any, sums: Any) -> Any:
    """``(sum c/x, sum c log x)``, x a row's sum of ``tables``; c/x goes to ``sums[place, byte]``."""
    expected = np.empty(_BLOCK)
    inverse, likelihood = 0.0, 0.0
    places, count = columns.shape
    for first in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - first)
        expected[:] = 0.0
        for j in range(places):
            for i in range(rows):
                expected[i] += tables[j, columns[j, first + i]]
        for i in range(rows):
            likelihood += counts[first + i] * np.log(expected[i])
            expected[i] = counts[first + i] / expected[i]
            inverse += expected[i]
        for j in range(places):
            for i in range(rows):
                sums[j, columns[j, first + i]] += expected[i]
    return inverse, likelihood

"""The compiled inner loops of :mod:`sottovoce.kernels.segments`; importing it needs numba.

``matrix`` is the tuple ``Segments.arrays``.  ``sums`` has two rows, running sums of w
and of (i - d/2) w; ``ends`` has two rows to which pieces are added by their ends,
levels in the first and slopes in the second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["adjoint", "adjoint_rows", "em_step", "forward", "forward_rows"]


@njit(nogil=True, cache=True, inline="always")
def _sum_up(weights: Any, sums: Any) -> None:
    """Running sums, each one longer than w."""
    middle = len(weights) // 2
    sums[0, 0], sums[1, 0] = 0.0, 0.0
    for i in range(len(weights)):
        sums[0, i + 1] = sums[0, i] + weights[i]
        sums[1, i + 1] = sums[1, i] + weights[i] * (i - middle)


@njit(nogil=True, cache=True, inline="always")
def _row(c: Any, matrix: Any, weights: Any, sums: Any) -> Any:
    """Row c times w."""
    base, starts, stops, levels, slopes, pointer, entries, values = matrix
    total = base[c] * sums[0, len(weights)]
    for s in range(starts.shape[1]):
        a, b = starts[c, s], stops[c, s]
        total += levels[c, s] * (sums[0, b] - sums[0, a])
        if slopes[c, s] != 0.0:
            total += slopes[c, s] * (sums[1, b] - sums[1, a])
    for k in range(pointer[c], pointer[c + 1]):
        total += values[k] * weights[entries[k]]
    return total


@njit(nogil=True, cache=True, inline="always")
def _scatter(c: Any, value: Any, matrix: Any, out: Any, ends: Any) -> None:
    """Add ``value`` times row c: pieces by their ends, single entries to ``out``."""
    _, starts, stops, levels, slopes, pointer, entries, values = matrix
    for s in range(starts.shape[1]):
        a, b = starts[c, s], stops[c, s]
        ends[0, a] += value * levels[c, s]
        ends[0, b] -= value * levels[c, s]
        if slopes[c, s] != 0.0:
            ends[1, a] += value * slopes[c, s]
            ends[1, b] -= value * slopes[c, s]
    for k in range(pointer[c], pointer[c + 1]):
        out[entries[k]] += value * values[k]


@njit(nogil=True, cache=True, inline="always")
def _gather(out: Any, constant: Any, ends: Any, scale: Any) -> None:
    """Sum up the pieces that were added by their ends."""
    level, tilt, middle = 0.0, 0.0, len(out) // 2
    for i in range(len(out)):
        level += ends[0, i]
        tilt += ends[1, i]
        out[i] = scale * (out[i] + constant + level + tilt * (i - middle))


@njit(nogil=True, cache=True)
def forward(matrix: Any, weights: Any, out: Any) -> None:
    """The product with ``weights``, into ``out``."""
    sums = np.empty((2, len(weights) + 1))
    _sum_up(weights, sums)
    for c in range(len(out)):
        out[c] = _row(c, matrix, weights, sums)


@njit(nogil=True, cache=True)
def adjoint(matrix: Any, given: Any, out: Any) -> None:
    """The transpose's product with ``given``, into ``out``."""
    base, ends, constant = matrix[0], np.zeros((2, len(out) + 1)), 0.0
    out[:] = 0.0
    for c in range(len(given)):
        constant += base[c] * given[c]
        _scatter(c, given[c], matrix, out, ends)
    _gather(out, constant, ends, 1.0)


@njit(nogil=True, cache=True)
def forward_rows(matrix: Any, weights: Any, out: Any) -> None:
    """:func:`forward` for every row of ``weights``."""
    for k in range(len(weights)):
        forward(matrix, weights[k], out[k])


@njit(nogil=True, cache=True)
def adjoint_rows(matrix: Any, given: Any, out: Any) -> None:
    """:func:`adjoint` for every row of ``given``."""
    for k in range(len(given)):
        adjoint(matrix, given[k], out[k])


@njit(nogil=True, cache=True)
def em_step(matrix: Any, weights: Any, cells: Any, ratio: Any) -> float:
    """``A'(c / A w) / sum c`` into ``ratio``; returns ``sum c log A w``."""
    base, size = matrix[0], len(weights)
    sums, ends = np.empty((2, size + 1)), np.zeros((2, size + 1))
    _sum_up(weights, sums)
    ratio[:] = 0.0
    constant, likelihood, total = 0.0, 0.0, 0.0
    for c in range(len(cells)):
        if cells[c] > 0.0:
            expected = _row(c, matrix, weights, sums)
            quotient = cells[c] / expected
            likelihood += cells[c] * np.log(expected)
            total += cells[c]
            constant += base[c] * quotient
            _scatter(c, quotient, matrix, ratio, ends)
    _gather(ratio, constant, ends, 1.0 / total)
    return likelihood

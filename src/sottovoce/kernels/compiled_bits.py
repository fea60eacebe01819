"""The compiled inner loop of :mod:`sottovoce.kernels.bits`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["add_columns"]

_PLANES = 8
_BATCH = 2**_PLANES - 1


@njit(nogil=True, cache=True, inline="always")
def _full_adder(a: Any, b: Any, c: Any) -> Any:
    """64 full adders at once: ``a + b + c = sum + 2 carry`` in every bit."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@njit(nogil=True, cache=True)
def add_columns(words: Any, counts: Any) -> None:
    """Add to ``counts[64 j + b]`` the number of rows with bit ``b`` of word ``j`` set."""
    rows, width = words.shape
    planes = np.zeros((width, _PLANES), dtype=np.uint64)
    for start in range(0, rows, _BATCH):
        stop = min(start + _BATCH, rows)
        planes[:] = 0
        sevens = start + 7 * ((stop - start) // 7)
        for i in range(start, sevens, 7):
            for j in range(width):
                s0, c0 = _full_adder(words[i, j], words[i + 1, j], words[i + 2, j])
                s1, c1 = _full_adder(words[i + 3, j], words[i + 4, j], words[i + 5, j])
                ones, c2 = _full_adder(s0, s1, words[i + 6, j])
                twos, fours = _full_adder(c0, c1, c2)
                carry = planes[j, 0] & ones
                planes[j, 0] ^= ones
                planes[j, 1], carry = _full_adder(planes[j, 1], twos, carry)
                planes[j, 2], carry = _full_adder(planes[j, 2], fours, carry)
                for k in range(3, _PLANES):
                    plane = planes[j, k]
                    planes[j, k] = plane ^ carry
                    carry &= plane
        for i in range(sevens, stop):
            for j in range(width):
                carry = words[i, j]
                for k in range(_PLANES):
                    plane = planes[j, k]
                    planes[j, k] = plane ^ carry
                    carry &= plane
        for j in range(width):
            for b in range(64):
                total = np.uint64(0)
                for k in range(_PLANES):
                    total += ((planes[j, k] >> np.uint64(b)) & np.uint64(1)) << np.uint64(k)
                counts[64 * j + b] += np.int64(total)

"""The compiled inner loop of :mod:`sottovoce.kernels.lanes`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["compare"]

_TOP = np.uint64(0x8080808080808080)
_REST = np.uint64(0x7F7F7F7F7F7F7F7F)
_GATHER = np.uint64(0x0102040810204080)
_SEVEN, _LAST = np.uint64(7), np.uint64(56)


@njit(nogil=True, cache=True)
def compare(words: Any, kept: Any, thresholds: Any, packed: Any, ties: Any) -> None:
    """Set ``packed`` where a byte of ``words`` is below its threshold, ``ties`` where it equals it.

    ``kept`` has rows, or none where one threshold is for all.

    ``(x | top) - (t without top)`` borrows nowhere; its top bit says whether the low seven bits of x are
    at least those of t, and the top bits of x and t decide where they differ.
    """
    rows, width = packed.shape
    t = thresholds[0]
    for i in range(rows):
        for j in range(width):
            if len(kept):
                t = thresholds[kept[i, j]]
            x = words[i, j]
            at_least = (x | _TOP) - (t & _REST)
            differ = x ^ t
            below = ((differ & t) | (~differ & ~at_least)) & _TOP
            same = ~(((differ & _REST) + _REST) | differ) & _TOP
            packed[i, j] = np.uint8(((below >> _SEVEN) * _GATHER) >> _LAST)
            ties[i, j] = np.uint8(((same >> _SEVEN) * _GATHER) >> _LAST)

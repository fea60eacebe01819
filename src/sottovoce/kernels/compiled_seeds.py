"""The compiled inner loops of :mod:`sottovoce.kernels.seeds`; importing it needs numba.

numba widens small integers; a cast after every step lets the compiler see that
32 bits are enough, and then it works on eight lanes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from sottovoce.kernels.seeds import FACTORS, SHIFTS

__all__ = ["add_supports", "pack_supports"]

_u32 = np.uint32
_S0, _S1, _S2 = (np.uint32(shift) for shift in SHIFTS)
_F0, _F1 = (np.uint32(factor) for factor in FACTORS)
_TILE = 1024
"""Reports whose four words each (16 KB) stay in the nearest cache while all values pass by."""
_GATHER = np.uint64(0x0102040810204080)
"""Times eight bytes of 0 or 1: the top byte has the i-th of them as its bit i."""


@njit(nogil=True, cache=True, inline="always")
def _mix(x: Any) -> Any:
    x = _u32(x ^ (x >> _S0))
    x = _u32(x * _F0)
    x = _u32(x ^ (x >> _S1))
    x = _u32(x * _F1)
    return _u32(x ^ (x >> _S2))


@njit(nogil=True, cache=True)
def add_supports(reports: Any, counts: Any) -> None:
    """Add to ``counts[v]`` the number of reports whose hash of v lies in their range."""
    low, high, first, width = reports[0], reports[1], reports[2], reports[3]
    for start in range(0, len(low), _TILE):
        stop = min(start + _TILE, len(low))
        for v in range(len(counts)):
            value, found = _u32(v), _u32(0)
            for i in range(start, stop):
                hashed = _mix(_u32(_mix(_u32(low[i] ^ value)) ^ high[i]))
                found = _u32(found + _u32(_u32(hashed - first[i]) < width[i]))
            counts[v] += found


@njit(nogil=True, cache=True)
def pack_supports(reports: Any, size: int, packed: Any) -> None:
    """Set bit v of row i of ``packed`` where the hash of v lies in the range of report i."""
    flags = np.zeros(8 * packed.shape[1], dtype=np.uint8)  # beyond size they stay 0
    eights = flags.view(np.uint64)
    for i in range(len(packed)):
        low, high, first, width = reports[0, i], reports[1, i], reports[2, i], reports[3, i]
        for v in range(size):
            hashed = _mix(_u32(_mix(_u32(low ^ _u32(v))) ^ high))
            flags[v] = _u32(hashed - first) < width
        for j in range(packed.shape[1]):
            packed[i, j] = (eights[j] * _GATHER) >> np.uint64(56)

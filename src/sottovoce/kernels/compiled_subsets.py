"""The compiled inner loop of :mod:`sottovoce.kernels.subsets`; importing it needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["settle_sets"]


@njit(nogil=True, cache=True)
def settle_sets(state: Any, rows: Any, words: Any, shape: Any, live: Any) -> None:
    """Set by set: try the lanes of its words until it is settled; ``live`` says which are not.

    ``state`` is (members, counts, latest), ``shape`` (size, lanes, bits of a try).
    """
    members, counts, latest = state
    size, lanes, bits = shape
    mask, turns = np.uint64(2**bits - 1), 64 // bits
    for i in range(len(rows)):
        row = rows[i]
        count, last, settled = counts[row], latest[row], False
        for j in range(words.shape[1]):
            word = words[i, j]
            for _ in range(turns):
                lane = np.int64(word & mask)
                word >>= np.uint64(bits)
                if lane < lanes:
                    bit = np.uint64(1) << np.uint64(lane & 63)
                    now = members[row, lane >> 6]
                    joins = count < size
                    if ((now & bit) != 0) != joins:
                        members[row, lane >> 6] = now ^ bit
                        last = lane
                        count += 1 if joins else -1
                        if joins and count == size:
                            settled = True
                            break
            if settled:
                break
        counts[row], latest[row], live[i] = count, last, not settled

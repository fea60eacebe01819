"""Counting set bits by column, over many packed rows.

The plain version states what is computed.  The compiled one computes it with
vertical counters: bit k of the counts of 64 columns is one word, and rows enter
seven at a time through carry-save adders (7 words become a 3-bit number), so
that no bit is ever unpacked before 255 rows have been added up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import in_parallel
from sottovoce.kernels.loader import compiled_if_worth

__all__ = ["column_counts", "column_counts_plain", "popcount", "popcount_plain"]

Counts = NDArray[np.int64]

_SMALL = 2**21
"""Bytes below which loading the compiled kernel is not worth while."""
_CHUNK = 2**22
"""Bytes that one thread counts at a time."""


def column_counts(rows: NDArray[np.uint8], size: int) -> Counts:
    """How many rows have bit ``v`` set, for ``v`` below ``size`` (bit ``v % 8`` of byte ``v // 8``)."""
    kernels = compiled_if_worth("bits", rows.size, _SMALL)
    if kernels is None or not len(rows):
        return column_counts_plain(rows, size)
    width = rows.shape[1]
    missing = -width % 8

    def part(start: int) -> Counts:
        chunk = rows[start : start + step]
        whole = np.pad(chunk, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(chunk)
        counts = np.zeros(8 * (width + missing), dtype=np.int64)
        kernels.add_columns(whole.view("<u8"), counts)
        return counts

    step = max(1, _CHUNK // width)
    return np.sum(in_parallel(part, range(0, len(rows), step)), axis=0)[:size]


def column_counts_plain(rows: NDArray[np.uint8], size: int) -> Counts:
    """The definition, in bounded memory: unpack, then sum each column."""
    step = max(1, 2 * _CHUNK // max(1, size))
    total = np.zeros(size, dtype=np.int64)
    for start in range(0, len(rows), step):
        chunk = np.unpackbits(rows[start : start + step], axis=1, count=size, bitorder="little")
        total += chunk.sum(axis=0, dtype=np.int64)
    return total


def popcount(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits of each word are set."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    return popcount_plain(words)


def popcount_plain(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The same by sums of neighbours: pairs of bits, of pairs, of fours, then of bytes."""
    half, quarter, eighth = (
        np.uint64(mask) for mask in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
    )
    words = words - ((words >> np.uint64(1)) & half)
    words = (words & quarter) + ((words >> np.uint64(2)) & quarter)
    words = (words + (words >> np.uint64(4))) & eighth
    return ((words * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)

"""Random bytes against thresholds: one bit per byte, packed.

Byte x of a row decides bit v: it is set where ``x < t``, and where ``x = t`` more words decide (a tie).
The threshold t is the first of two, or the second where bit v of the row's ``kept`` bits is set.  The result is packed
as reports are (bit v is bit ``v % 8`` of byte ``v // 8``), and ties come as their places, row by row, so
that a device that meets them one after the other takes the same words.

The compiled version compares eight bytes at once in one 64-bit word and gathers eight results with one
product.  The plain version states what is computed.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import in_parallel
from sottovoce.kernels.loader import compiled_if_worth

__all__ = ["bits_below", "bits_below_plain"]

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_SMALL = 2**21
"""Bytes below which loading the compiled kernel is not worth while."""
_CHUNK = 2**20
"""Bytes that one thread compares at a time."""
_NOTHING = np.empty((0, 0), dtype=np.uint8)


def bits_below(
    lanes: Bytes, kept: Bytes | None, limits: tuple[int, int], size: int
) -> tuple[Bytes, Places]:
    """Packed bits of rows of random bytes, of which ``size`` count, and the places of ties.

    ``limits`` are both thresholds. A place counts the bits of all packed rows: bit ``p % 8`` of byte ``p // 8``.
    """
    kernels = compiled_if_worth("lanes", lanes.size, _SMALL)
    width = -(-size // 8)
    if kernels is None:
        packed, ties = bits_below_plain(lanes, kept, limits, size)
    else:
        words = lanes.view("<u8")
        packed, ties = np.empty((2, len(lanes), width), dtype=np.uint8)
        thresholds = _thresholds(limits)
        step = max(1, _CHUNK // lanes.shape[1])

        def part(start: int) -> None:
            rows = slice(start, start + step)
            memory = _NOTHING if kept is None else kept[rows]
            kernels.compare(words[rows], memory, thresholds, packed[rows], ties[rows])

        in_parallel(part, range(0, len(lanes), step))
        if size % 8:
            for each in (packed, ties):
                each[:, -1] &= np.uint8(2 ** (size % 8) - 1)
    return packed, _places(ties)


def bits_below_plain(
    lanes: Bytes, kept: Bytes | None, limits: tuple[int, int], size: int
) -> tuple[Bytes, Bytes]:
    """The definition: packed bits, and packed ties."""
    lanes = lanes[:, :size]
    each = np.array(limits, dtype=np.uint8)
    if kept is not None:
        each = each[np.unpackbits(kept, axis=1, count=size, bitorder="little")]
    else:
        each = each[:1]
    below, ties = (
        np.packbits(found, axis=1, bitorder="little") for found in (lanes < each, lanes == each)
    )
    return below, ties


def _places(ties: Bytes) -> Places:
    """Where bits are set, few of many."""
    flat = ties.ravel()
    where = np.flatnonzero(flat)
    at, bit = np.nonzero(np.unpackbits(flat[where][:, None], axis=1, bitorder="little"))
    return np.asarray(8 * where[at] + bit)


@cache
def _thresholds(limits: tuple[int, int]) -> NDArray[np.uint64]:
    """The thresholds of eight bytes, for every byte of kept bits."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.ascontiguousarray(np.array(limits, dtype=np.uint8)[bits]).view("<u8").ravel()

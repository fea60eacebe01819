"""Which values a seeded hash sends to the reported cell, for many reports and values.

A seed is 64 bits, ``high`` and ``low`` halves of 32; a value is its index v below 2^32:

    h(v) = mix(mix(v ^ low) ^ high),      cell(v) = floor(g h(v) / 2^32)

``mix`` is the 32-bit finalizer of MurmurHash3 (Appleby), a bijection.  A report
of cell y speaks for v just when ``floor(g h / 2^32) = y``, that is when
``first <= h < first + width`` with ``first = ceil(y 2^32 / g)`` and
``width = ceil((y + 1) 2^32 / g) - first``.  So counting needs that range once a
report, and then only 32-bit arithmetic a value: eight values to an instruction.

The plain versions state what is computed; the compiled ones are tested against them.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import in_parallel
from sottovoce.kernels.loader import compiled_if_worth

__all__ = [
    "FACTORS",
    "SHIFTS",
    "cells_of",
    "support_bits",
    "support_bits_plain",
    "support_counts",
    "support_counts_plain",
]

Seeds = NDArray[np.uint64]
Words = NDArray[np.uint32]
Counts = NDArray[np.int64]
Bits = NDArray[np.uint8]

SHIFTS = (16, 13, 16)
FACTORS = (0x85EBCA6B, 0xC2B2AE35)
"""``x ^= x >> 16; x *= FACTORS[0]; x ^= x >> 13; x *= FACTORS[1]; x ^= x >> 16``."""

_SMALL = 2**23
"""Hashes below which loading the compiled kernels is not worth while."""
_CHUNK = 2**23
"""Hashes, about, that one thread computes at a time."""
_PLAIN = 2**18
"""Hashes that a plain version holds at a time; a multiple of 8."""


def cells_of(seeds: Seeds, values: NDArray[Any], g: int) -> Counts:
    """The cell, in ``[0, g)``, of ``values[i]`` under ``seeds[i]``."""
    hashed = _hash(*_halves(seeds), values.astype(np.uint32)).astype(np.uint64)
    return ((hashed * np.uint64(g)) >> np.uint64(32)).view(np.int64)


def support_counts(seeds: Seeds, cells: NDArray[Any], g: int, size: int) -> Counts:
    """How many reports ``(seed, cell)`` speak for each value below ``size``."""
    kernels = compiled_if_worth("seeds", len(seeds) * size, _SMALL)
    if kernels is None:
        return support_counts_plain(seeds, cells, g, size)
    total, lock = np.zeros(size, dtype=np.int64), Lock()

    def part(start: int) -> None:
        rows, counts = slice(start, start + step), np.zeros(size, dtype=np.int64)
        kernels.add_supports(_prepared(seeds[rows], cells[rows], g), counts)
        with lock:
            np.add(total, counts, out=total)

    step = _rows_at_once(size)
    in_parallel(part, range(0, len(seeds), step))
    return total


def support_counts_plain(seeds: Seeds, cells: NDArray[Any], g: int, size: int) -> Counts:
    """The definition, in bounded memory."""
    total = np.zeros(size, dtype=np.int64)
    for _, values, inside in _blocks(seeds, cells, g, size):
        total[values] += inside.sum(axis=0)
    return total


def support_bits(seeds: Seeds, cells: NDArray[Any], g: int, size: int) -> Bits:
    """A row of packed bits a report: bit ``v % 8`` of byte ``v // 8`` says that it speaks for v."""
    kernels = compiled_if_worth("seeds", len(seeds) * size, _SMALL)
    if kernels is None:
        return support_bits_plain(seeds, cells, g, size)
    packed = np.empty((len(seeds), -(-size // 8)), dtype=np.uint8)

    def part(start: int) -> None:
        rows = slice(start, start + step)
        kernels.pack_supports(_prepared(seeds[rows], cells[rows], g), size, packed[rows])

    step = _rows_at_once(size)
    in_parallel(part, range(0, len(seeds), step))
    return packed


def support_bits_plain(seeds: Seeds, cells: NDArray[Any], g: int, size: int) -> Bits:
    """The definition, in bounded memory beside the answer."""
    packed = np.empty((len(seeds), -(-size // 8)), dtype=np.uint8)
    for rows, values, inside in _blocks(seeds, cells, g, size):
        whole_bytes = slice(values.start // 8, -(-values.stop // 8))
        packed[rows, whole_bytes] = np.packbits(inside, axis=1, bitorder="little")
    return packed


def _blocks(
    seeds: Seeds, cells: NDArray[Any], g: int, size: int
) -> Iterator[tuple[slice, slice, NDArray[np.bool_]]]:
    """Rows and values of a block, and whether each row speaks for each value."""
    height, length = max(1, _PLAIN // size), min(size, _PLAIN)
    for top in range(0, len(seeds), height):
        rows = slice(top, top + height)
        low, high, first, width = _prepared(seeds[rows], cells[rows], g)[:, :, None]
        for left in range(0, size, length):
            values = slice(left, min(left + length, size))
            hashed = _hash(low, high, np.arange(left, values.stop, dtype=np.uint32))
            hashed -= first  # below first wraps around to above any width
            yield rows, values, hashed < width


def _rows_at_once(size: int) -> int:
    """Few enough to keep all cores busy, enough that preparing them costs little."""
    return min(2**14, max(2**8, _CHUNK // size))


def _prepared(seeds: Seeds, cells: NDArray[Any], g: int) -> Words:
    """Four rows: low and high halves of the seeds; first and width of the hashes in the cells.

    Needs ``2 <= g <= 2^31``, so that a width is below 2^32.
    """
    scaled = cells.astype(np.uint64) << np.uint64(32)
    first = (scaled + np.uint64(g - 1)) // np.uint64(g)
    after = (scaled + np.uint64(2**32 + g - 1)) // np.uint64(g)
    return np.stack([*_halves(seeds), first.astype(np.uint32), (after - first).astype(np.uint32)])


def _halves(seeds: Seeds) -> tuple[Words, Words]:
    """The low and the high 32 bits of each seed."""
    return seeds.astype(np.uint32), (seeds >> np.uint64(32)).astype(np.uint32)


def _hash(low: Words, high: Words, values: Words) -> Words:
    mixed = low ^ values
    _mix(mixed)
    mixed ^= high
    _mix(mixed)
    return mixed


def _mix(x: Words) -> None:
    """In place; products wrap around at 2^32."""
    for shift, factor in zip(SHIFTS, (*FACTORS, 1), strict=True):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)

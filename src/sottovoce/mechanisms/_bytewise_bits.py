"""Bits drawn for many reports: a random byte each, and a word where it equals the first byte of the chance.

A bit is set with chance ``weight / 2^bits``, exactly: the first byte of the 64-bit threshold decides all but
one bit in 256, and the other 56 bits of it those.  Words come as a device takes them: the bytes of all
bits first, then a word for every tie, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source
from sottovoce.kernels.lanes import bits_below

__all__ = ["BitChances", "draw_bits", "threshold"]

Bytes = NDArray[np.uint8]


def threshold(weight: int, bits: int) -> tuple[int, int]:
    """The first byte and the other 56 bits of what a 64-bit word must be below.

    >>> threshold(2**61, 62)
    (128, 0)
    """
    return divmod(weight << (64 - bits), 2**56)


@dataclass(frozen=True)
class BitChances:
    """Weights over ``2^bits`` with which a bit is set: ``zero``, or ``one`` where the bit that is kept is 1."""

    zero: int
    one: int
    bits: int


def draw_bits(
    count: int, size: int, chances: BitChances, source: Source, kept: Bytes | None = None
) -> Bytes:
    """``count`` packed rows of ``size`` bits."""
    limits = [threshold(weight, chances.bits) for weight in (chances.zero, chances.one)]
    (low, low_rest), (high, high_rest) = limits
    words = source.words(count * -(-size // 8)).astype("<u8", copy=False)
    lanes = words.reshape(count, -(-size // 8)).view(np.uint8)
    packed, ties = bits_below(lanes, kept, (low, high), size)
    drawn = source.words(len(ties)) >> np.uint64(8)
    place, bit = ties // 8, (ties % 8).astype(np.uint8)
    rest = np.uint64(low_rest)
    if kept is not None:
        ones = (kept.ravel()[place] >> bit) & np.uint8(1)
        rest = np.array([low_rest, high_rest], dtype=np.uint64)[ones]
    np.bitwise_or.at(packed.reshape(-1), place, (drawn < rest).astype(np.uint8) << bit)
    return packed

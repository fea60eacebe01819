"""Public pseudo-random words: the same on every machine, each to be had without the others.

Word j of row r is a little-endian 32-bit integer.  Words come in blocks of 256: block ``j div 256``
is the first 1024 bytes of SHAKE-256 of the text ``sottovoce <use> 2 <key> <r> <block>``.
So a device that needs one word makes one block, and a collector that needs a row makes them all.

Words say nothing about people.  They spread values over hashes and points, and the privacy of a
report does not rest on them.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["public_index", "public_indices"]

_BLOCK = 256
"""Words of a block."""


def _block(use: str, key: str, row: int, block: int) -> bytes:
    text = f"sottovoce {use} 2 {key} {row} {block}"
    return hashlib.shake_256(text.encode()).digest(4 * _BLOCK)


def public_index(size: int, use: str, key: str, row: int, index: int) -> int:
    """``floor(size word / 2^32)``, in plain integers: word ``index`` of a row as a number below ``size``."""
    block, within = divmod(index, _BLOCK)
    word = _block(use, key, row, block)[4 * within : 4 * within + 4]
    return (int.from_bytes(word, "little") * size) >> 32


def public_indices(size: int, use: str, key: str, row: int, count: int) -> NDArray[np.int64]:
    """:func:`public_index` for the first ``count`` words of a row.

    >>> row = public_indices(10, "hashes", "key", 3, 600)
    >>> row[511] == public_index(10, "hashes", "key", 3, 511)
    np.True_
    """
    blocks = (_block(use, key, row, block) for block in range(-(-count // _BLOCK)))
    words = np.frombuffer(b"".join(blocks), dtype="<u4")[:count].astype(np.uint64)
    return ((words * np.uint64(size)) >> np.uint64(32)).astype(np.int64)

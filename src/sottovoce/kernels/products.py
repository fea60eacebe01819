"""Products of matrices in tiles, each small enough that the BLAS behind numpy stays on one thread.

A multithreaded product waits for all its threads.  On a machine whose cores are all busy,
as with several workers a core, that wait is many times the work itself: a product of a few
milliseconds was seen to take more than a second.  Tiles of 64^3 lie below the size at which
threads are used, cost no more than one thread would, and wait for nobody.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["gram", "product"]

Matrix = NDArray[Any]

TILE = 64
_AT_ONCE = 256
"""Tiles that are multiplied in one call and then summed."""


def product(left: Matrix, right: Matrix) -> Matrix:
    """``left @ right``."""
    out = np.empty((left.shape[0], right.shape[1]), dtype=left.dtype)
    for i in range(0, out.shape[0], TILE):
        for j in range(0, out.shape[1], TILE):
            out[i : i + TILE, j : j + TILE] = _tile(left[i : i + TILE], right[:, j : j + TILE])
    return out


def gram(rows: Matrix) -> Matrix:
    """``rows @ rows.T``, one half of it computed."""
    size = len(rows)
    out = np.empty((size, size), dtype=rows.dtype)
    for i in range(0, size, TILE):
        for j in range(0, i + TILE, TILE):
            tile = _tile(rows[i : i + TILE], rows[j : j + TILE].T)
            out[i : i + TILE, j : j + TILE] = tile
            out[j : j + TILE, i : i + TILE] = tile.T
    return out


def _tile(left: Matrix, right: Matrix) -> Matrix:
    """The product of a few rows and a few columns, along their length in pieces."""
    height, length = left.shape
    whole = length - length % TILE
    total = left[:, whole:] @ right[whole:]
    for start in range(0, whole, TILE * _AT_ONCE):
        part = slice(start, min(whole, start + TILE * _AT_ONCE))
        ones = left[:, part].reshape(height, -1, TILE).swapaxes(0, 1)
        others = right[part].reshape(-1, TILE, right.shape[1])
        total += np.matmul(ones, others).sum(axis=0)
    return total

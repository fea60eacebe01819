"""Rows of the Walsh-Hadamard matrix: signs, the fast transform, and random rows in bulk.

The matrix of order b, a power of two, has the sign ``(-1)^parity(y & c)`` in row y
and column c.  Column 0 is all plus; any other column is plus in half of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels.bits import popcount

__all__ = ["parity", "random_rows", "walsh_hadamard"]

Counts = NDArray[np.int64]


def parity(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """1 where the sign in this row and column is minus, else 0."""
    ones = popcount((rows & columns).view(np.uint64))
    return (ones & np.uint8(1)).astype(np.int64)


def walsh_hadamard(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """The transform of the last axis, ``sum over c of a_c (-1)^parity(y & c)``: log2(b) butterflies."""
    order = array.shape[-1]
    out = np.array(array, dtype=np.float64, order="C")
    step = 1
    while step < order:
        pairs = out.reshape(-1, order // (2 * step), 2, step)
        upper, lower = pairs[:, :, 0], pairs[:, :, 1]
        difference = upper - lower
        upper += lower
        lower[...] = difference
        step *= 2
    return out


def random_rows(counts: Counts, random: Any) -> Counts:
    """How often each row comes up when ``counts[..., c]`` draws are uniform on the plus rows of c.

    ``random`` is a numpy generator: this is for simulation, never for a device.
    The bits of a row are drawn from the top, for all draws that are alike at
    once.  A draw is one of column c and sign s if its remaining bits y must
    keep ``parity(y & c) = s``.  A bit is a fair coin as long as a later bit can
    set the sign right; if only this one can, it is s.  Order b takes 2 b log2(b)
    binomials, however many draws there are.
    """
    order = counts.shape[-1]
    alike: Counts = np.stack([counts, np.zeros_like(counts)], axis=-1)
    while order > 1:
        order //= 2
        alike = alike.reshape(-1, 2, order, 2)  # the column's top bit, its other bits, the sign
        zeros = random.binomial(alike, 0.5)
        zeros[:, 1, 0] = alike[:, 1, 0] * (1, 0)
        ones = alike - zeros
        ones[:, 1] = ones[:, 1, :, ::-1].copy()  # a one in a column with this bit turns the sign
        alike = np.stack([zeros.sum(axis=1), ones.sum(axis=1)], axis=1)
    return alike.reshape(-1, 2)[:, 0].reshape(counts.shape)

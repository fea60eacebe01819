"""Likelihoods of many reported sets: sums of w over packed sets, and back.

A row is a set S of values, packed 8 to a byte, with likelihood ``sum w + k w(S)``,
``w(S)`` the sum of w over S.  A pass needs, for rows of counts c,

    x_i = sum w + k w(S_i),   l = sum c log x,   r = sum over i of (c_i / x_i) and, for each v,
    b_v = sum over the rows with v in S_i of c_i / x_i

The compiled pass works byte by byte: for each place of 8 values, the sums of w over all 256
subsets are a table, so that a byte costs one look-up; on the way back c/x is added
to one of 256 sums a place, which are shared out among their values at the end.  Bytes of one
place lie together (``columns[j, i]`` is byte j of row i), so that tables stay in the cache.

The plain version states what is computed; the compiled one is tested against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import in_parallel
from sottovoce.kernels.loader import compiled
from sottovoce.kernels.products import gram

__all__ = ["set_products", "set_products_plain", "set_step", "set_step_plain", "set_sums"]

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

_SMALL = 2**16
"""Bytes of sets below which loading the compiled kernel is not worth while."""
_ROWS = 2**15
"""Rows that one thread takes at a time."""
_UNPACKED = 2**22
"""Numbers that a plain version unpacks at a time."""

_MEMBERS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(
    np.float64
)
"""Row b: which of 8 values byte b holds."""


def set_step(
    columns: Bytes, counts: Floats, gain: float, shares: Floats
) -> tuple[Floats, float, float]:
    """``(b, r, l)`` as above; ``columns`` has a row a byte place and a column a report."""
    kernels = compiled("sets") if columns.size >= _SMALL else None
    if kernels is None:
        return set_step_plain(columns, counts, gain, shares)
    places, rows = columns.shape
    padded = np.zeros(8 * places)
    padded[: len(shares)] = gain * shares
    tables = padded.reshape(places, 8) @ _MEMBERS.T
    tables[0] += shares.sum()  # every row has one byte of the first place

    def part(start: int) -> tuple[Floats, float, float]:
        sums, some = np.zeros((places, 256)), slice(start, start + _ROWS)
        inverse, likelihood = kernels.add_rows(columns[:, some], counts[some], tables, sums)
        return (sums @ _MEMBERS).ravel()[: len(shares)], inverse, likelihood

    parts = in_parallel(part, range(0, rows, _ROWS))
    inside = np.sum([inside for inside, _, _ in parts], axis=0)
    return inside, sum(r for _, r, _ in parts), sum(found for _, _, found in parts)


def set_step_plain(
    columns: Bytes, counts: Floats, gain: float, shares: Floats
) -> tuple[Floats, float, float]:
    """The definition, in bounded memory."""
    inside, inverse, likelihood = np.zeros(len(shares)), 0.0, 0.0
    for rows, members in _unpacked(columns, len(shares)):
        expected = shares.sum() + gain * (shares @ members)
        quotient = counts[rows] / expected
        inside += members @ quotient
        inverse += float(quotient.sum())
        likelihood += float(counts[rows] @ np.log(expected))
    return inside, inverse, likelihood


def set_products(columns: Bytes, weights: Floats, size: int) -> tuple[Floats, Floats]:
    """``sum over rows of weight [u in S][v in S]`` for all pairs, and ``sum of weight [v in S]``.

    In single precision, blocks of rows summed in double: right to about 1 in 10^6.
    """
    pairs, inside = np.zeros((size, size)), np.zeros(size)
    for rows, members in _unpacked(columns, size, np.float32):
        root = np.sqrt(weights[rows]).astype(np.float32)
        scaled = np.multiply(members, root, out=members)
        pairs += gram(scaled)
        inside += scaled @ root
    return pairs, inside


def set_products_plain(columns: Bytes, weights: Floats, size: int) -> tuple[Floats, Floats]:
    """The definition of :func:`set_products`, in double precision."""
    pairs, inside = np.zeros((size, size)), np.zeros(size)
    for rows, members in _unpacked(columns, size):
        pairs += (members * weights[rows]) @ members.T
        inside += members @ weights[rows]
    return pairs, inside


def set_sums(columns: Bytes, shares: Floats) -> Floats:
    """``w(S)`` of every row, a place of 8 values at a time."""
    padded = np.zeros(8 * len(columns))
    padded[: len(shares)] = shares
    tables, total = padded.reshape(-1, 8) @ _MEMBERS.T, np.zeros(columns.shape[1])
    for table, column in zip(tables, columns, strict=True):
        total += table[column]
    return total


def _unpacked(
    columns: Bytes, size: int, dtype: Any = np.float64
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Some rows at a time, and for each value (down) whether each of them (across) holds it."""
    step = max(1, _UNPACKED // size)
    for start in range(0, columns.shape[1], step):
        rows = slice(start, start + step)
        bits = np.unpackbits(columns[:, rows], axis=0, count=size, bitorder="little")
        yield rows, bits.astype(dtype)

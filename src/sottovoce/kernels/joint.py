"""Likelihoods of users who gave several reports: products of rows, summed without writing them out.

User i gave report ``codes[i, j]`` to service j (-1: none).  The likelihood of value v is the
product over services of ``table_j[codes[i, j], v]``.  A pass of EM needs, for all users,

    x_i = sum_v w_v prod_j table_j[code, v],     l = sum c log x,     g_v = sum_i (c_i / x_i) prod_j ...

Rows have structure.  Cut into *pieces*, a row is a constant times one of few *shapes*: constant
but for a step up and one down (square waves), one of two lines (stochastic rounding), or rising
and then falling by a constant factor (Laplace).  A product of such rows has as many pieces
as its factors together, and in each it is a constant times a product of shapes, a *pattern*.
With one prefix sum of w a pattern, a piece costs two look-ups, whatever its length; on the way
back it costs two additions to the differences of the result.  So a pass takes
O(users x pieces), not O(users x values).

The plain version multiplies rows out; the compiled one is tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import in_parallel
from sottovoce.kernels.loader import compiled

__all__ = ["JointUsers", "Pieces", "joint_step_plain", "joint_sums_plain", "product"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Codes = NDArray[np.int32]

_USERS = 2**14
"""Users that one thread takes at a time."""
_PIECE_BYTES = 16
_KEPT_BYTES = 2**29
"""Most bytes of pieces that are kept from pass to pass."""
_NUMBERS = 2**21
"""Numbers that the plain version writes out at a time (16 MB)."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Tables of all services, cut: row r of service j begins at piece ``rows[j, r]``.

    A piece lasts to value ``ends`` (not included), is ``constants`` times its pattern, and adds
    ``patterns`` to the number of the product's pattern; ``shapes`` has a row a pattern.  ``most``
    is how many pieces a product can have.
    """

    rows: Indices
    ends: Indices
    constants: Floats
    patterns: Indices
    shapes: Floats
    most: int

    @property
    def tables(self) -> tuple[Any, ...]:
        """What the compiled kernels take."""
        return self.rows, self.ends, self.constants, self.patterns, self.most

    def prefix(self, weights: Floats) -> Floats:
        """Running sums of the weights under every pattern, from 0."""
        sums = np.zeros((len(self.shapes), self.shapes.shape[1] + 1))
        np.cumsum(self.shapes * weights, axis=1, out=sums[:, 1:])
        return sums

    def collect(self, slopes: Floats) -> Floats:
        """For every value, the sum over patterns of what was added to its pieces."""
        return np.asarray((np.cumsum(slopes[:, :-1], axis=1) * self.shapes).sum(axis=0))


class JointUsers:
    """Users with their codes and counts, cut into pieces: once, if those fit in memory.

    Otherwise every pass cuts them again, some users at a time.
    """

    def __init__(self, codes: Codes, counts: Floats, pieces: Pieces) -> None:
        self._codes, self._counts, self._pieces = codes, counts, pieces
        self._parts = [slice(start, start + _USERS) for start in range(0, len(codes), _USERS)]
        self._fits = len(codes) * pieces.most * _PIECE_BYTES <= _KEPT_BYTES
        self._kept: dict[int, Any] = {}

    def step(self, shares: Floats) -> tuple[Floats, float] | None:
        """``(g, l)`` as above; None where numba is not installed."""
        kernels = compiled("joint")
        if kernels is None:
            return None
        prefix = self._pieces.prefix(shares)

        def part(some: slice) -> tuple[Floats, float]:
            slopes = np.zeros(prefix.size)
            found = kernels.add_users(self._cut(some), self._counts[some], prefix.ravel(), slopes)
            return slopes, float(found)

        parts = in_parallel(part, self._parts)
        slopes = np.sum([slopes for slopes, _ in parts], axis=0).reshape(prefix.shape)
        return self._pieces.collect(slopes), sum(found for _, found in parts)

    def sums(self, vectors: Sequence[Floats]) -> Floats | None:
        """``sum_v u_v prod_j ...`` for every user (down) and several vectors u (across)."""
        kernels = compiled("joint")
        if kernels is None:
            return None
        prefixes = np.stack([self._pieces.prefix(vector).ravel() for vector in vectors])
        out = np.empty((len(self._codes), len(vectors)))

        def part(some: slice) -> None:
            kernels.sum_users(self._cut(some), prefixes, out[some])

        in_parallel(part, self._parts)
        return out

    def _cut(self, some: slice) -> Any:
        found = self._kept.get(some.start)
        if found is None:
            width = self._pieces.shapes.shape[1] + 1
            found = compiled("joint").cut_users(self._codes[some], self._pieces.tables, width)
            if self._fits:
                self._kept[some.start] = found
        return found


Factors = Callable[[slice], Floats]
"""The likelihoods of some users (down) for all values (across)."""


def product(codes: Codes, tables: Sequence[Floats]) -> Floats:
    """The product of rows, written out for some users."""
    likelihood = np.ones((len(codes), tables[0].shape[1]))
    for column, table in zip(codes.T, tables, strict=True):
        here = column >= 0
        likelihood[here] *= table[column[here]]
    return likelihood


def joint_step_plain(factors: Factors, counts: Floats, shares: Floats) -> tuple[Floats, float]:
    """The definition of :meth:`JointUsers.step`, in bounded memory."""
    gathered, likelihood = np.zeros(len(shares)), 0.0
    for some in _chunks(len(counts), len(shares)):
        rows = factors(some)
        expected = rows @ shares
        gathered += (counts[some] / expected) @ rows
        likelihood += float(counts[some] @ np.log(expected))
    return gathered, likelihood


def joint_sums_plain(factors: Factors, users: int, vectors: Sequence[Floats]) -> Floats:
    """The definition of :meth:`JointUsers.sums`."""
    columns = np.stack(vectors, axis=1)
    parts = [factors(some) @ columns for some in _chunks(users, len(columns))]
    return np.concatenate(parts)


def _chunks(users: int, values: int) -> list[slice]:
    step = max(1, _NUMBERS // values)
    return [slice(start, start + step) for start in range(0, users, step)]

"""Matrices whose rows are a constant, a few linear pieces, and a few single entries.

Row c of such a matrix is ``base_c`` everywhere, plus ``level + slope i`` for the
columns i of a few ranges, plus single entries at the ends of the ranges.  With
running sums of w and of i w a product costs a few operations a row, however
long the ranges are.  The compiled loops are used where numba is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels.loader import compiled

__all__ = ["Segments"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Segments:
    """The pieces of a matrix of ``len(base)`` rows and ``columns`` columns.

    ``starts, stops, levels, slopes`` have a row a row and a column a piece; the
    value of a piece at column i is ``level + slope (i - columns // 2)``, counted
    from the middle so that little cancels.  Entries are ``values`` at ``entries``,
    row c owning those from ``pointer[c]`` to ``pointer[c + 1]``.
    """

    columns: int
    base: Floats
    starts: Ints
    stops: Ints
    levels: Floats
    slopes: Floats
    pointer: Ints
    entries: Ints
    values: Floats

    @cached_property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What the compiled loops take, in their order."""
        return (
            self.base, self.starts, self.stops, self.levels, self.slopes,
            self.pointer, self.entries, self.values,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    def forward(self, weights: Floats) -> Floats:
        """The product with a column vector."""
        kernels = compiled("segments")
        if kernels is None:
            return self.forward_plain(weights)
        out = np.empty(len(self.base))
        kernels.forward(self.arrays, np.ascontiguousarray(weights, dtype=np.float64), out)
        return out

    def adjoint(self, values: Floats) -> Floats:
        """The product of the transpose with a column vector."""
        kernels = compiled("segments")
        if kernels is None:
            return self.adjoint_plain(values)
        out = np.empty(self.columns)
        kernels.adjoint(self.arrays, np.ascontiguousarray(values, dtype=np.float64), out)
        return out

    def forward_rows(self, weights: Floats) -> Floats:
        """The products with many column vectors, given and returned as rows."""
        kernels = compiled("segments")
        if kernels is None:
            return np.stack([self.forward_plain(row) for row in weights])
        out = np.empty((len(weights), len(self.base)))
        kernels.forward_rows(self.arrays, np.ascontiguousarray(weights, dtype=np.float64), out)
        return out

    def adjoint_rows(self, values: Floats) -> Floats:
        """The products of the transpose with many column vectors, given and returned as rows."""
        kernels = compiled("segments")
        if kernels is None:
            return np.stack([self.adjoint_plain(row) for row in values])
        out = np.empty((len(values), self.columns))
        kernels.adjoint_rows(self.arrays, np.ascontiguousarray(values, dtype=np.float64), out)
        return out

    def forward_plain(self, weights: Floats) -> Floats:
        """:meth:`forward` without compiled code."""
        centred = np.arange(self.columns) - self.columns // 2
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        moments = np.concatenate([[0.0], np.cumsum(weights * centred)])
        pieces = self.levels * (sums[self.stops] - sums[self.starts])
        pieces += self.slopes * (moments[self.stops] - moments[self.starts])
        singles = np.bincount(
            self._entry_rows, self.values * weights[self.entries], minlength=len(self.base)
        )
        return self.base * sums[-1] + pieces.sum(axis=1) + singles

    def adjoint_plain(self, values: Floats) -> Floats:
        """:meth:`adjoint` without compiled code."""
        size, centred = self.columns + 1, np.arange(self.columns) - self.columns // 2
        level, slope = self.levels * values[:, None], self.slopes * values[:, None]
        starts, stops = self.starts.ravel(), self.stops.ravel()
        out = np.full(self.columns, float(self.base @ values))
        for ends, scale in ((level.ravel(), np.ones(self.columns)), (slope.ravel(), centred)):
            jumps = np.bincount(starts, ends, size) - np.bincount(stops, ends, size)
            out += np.cumsum(jumps)[:-1] * scale
        np.add.at(out, self.entries, self.values * values[self._entry_rows])
        return out

    @cached_property
    def _entry_rows(self) -> Ints:
        return np.repeat(np.arange(len(self.base)), np.diff(self.pointer))

    def em_step(self, weights: Floats, cells: Floats) -> tuple[Floats, float] | None:
        """``(A'(c / A w) / sum c, sum c log A w)`` in one pass over the rows, where that is compiled."""
        kernels = compiled("segments")
        if kernels is None:
            return None
        ratio = np.empty(self.columns)
        likelihood = kernels.em_step(self.arrays, weights, cells, ratio)
        return ratio, float(likelihood)

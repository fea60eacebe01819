"""Passes of EM over pairs of keys and numbers, all keys in one compiled loop.

Such a pass is many small products, one a key, and takes the interpreter longer to start than
to make.  Without numba there are none of these, and the channel goes by its own products.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.kernels.loader import compiled
from sottovoce.kernels.segments import Segments

__all__ = ["Pairs", "PairsEm", "long_ratio"]

Floats = NDArray[np.float64]


def long_ratio(ratio: Floats, stride: int) -> Floats:
    """What a pass of EM multiplies shares by where it is ``stride`` long.

    ``1 + stride (ratio - 1)`` where shares grow, ``ratio^stride`` where they shrink: to first order
    ``stride`` passes, and never negative.
    """
    return np.where(ratio > 1, 1 + stride * (ratio - 1), np.maximum(ratio, 0.0) ** stride)


@dataclass(frozen=True, eq=False)
class Pairs:
    """The law of key-value reports, see :mod:`sottovoce.mechanisms._key_value_channel`.

    ``segments`` are A, ``uniform`` is u, ``own`` and ``other`` are a and b.  Where ``unset``, keys
    are blocks of their own, with a first cell "unset".  ``nobody`` is q, 0 where nothing
    is said of those without a pair, and -1 where there are none.
    """

    segments: Segments
    uniform: Floats
    own: float
    other: float
    unset: bool
    nobody: float

    @property
    def compiled(self) -> bool:
        """Whether there is compiled code for it here."""
        return compiled("pairs") is not None

    @property
    def _law(self) -> tuple[Any, ...]:
        return self.segments.arrays, self.uniform, self.own, self.other, self.unset, self.nobody

    def _table(self, cells: Floats) -> Floats:
        """A row a key, and one for "no pair", where that is a cell."""
        each = len(self.uniform) + self.unset
        keys, left = divmod(len(cells), each)
        table = np.zeros((keys + 1, each))
        table[:keys] = cells[: keys * each].reshape(keys, each)
        if left:
            table[keys, 0] = cells[-1]
        return table

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        """One pass, as ``Channel.em_step`` says."""
        ratio, start = np.empty(len(shares)), np.ascontiguousarray(shares, dtype=np.float64)
        likelihood = compiled("pairs").em_step(self._law, start, self._table(cells), ratio)
        return ratio, float(likelihood)

    def em_run(self, cells: Floats, stride: int = 1) -> PairsEm:
        """Many passes on these cells, each ``stride`` long."""
        return PairsEm(self._law, self._table(cells), stride)


@dataclass(frozen=True, eq=False)
class PairsEm:
    """Runs of EM on a table of cells."""

    law: tuple[Any, ...]
    table: Floats
    stride: int = 1

    def run(
        self, shares: Floats, passes: int, tolerance: float, smoothing: int
    ) -> tuple[Floats, Floats, Floats]:
        """Passes from ``shares``, as :class:`sottovoce.channels.base.EmRun` says, none smoothed."""
        if smoothing:
            raise InvalidInput(
                "smoothing", "a climb over pairs", "0: keys have no order", smoothing
            )
        start, ratio = np.array(shares, dtype=np.float64), np.empty(len(shares))
        state = start, ratio, np.empty(passes + 1)
        done = compiled("pairs").run_em(self.law, self.table, state, tolerance, self.stride)
        return start, ratio, state[2][: done + 1]

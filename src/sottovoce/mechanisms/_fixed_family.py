"""A fixed number of public hash functions, each a row of a pseudo-random table.

H[i, v], the cell of value v under hash i, is word v of row i of the public words of use
``hashes`` (:mod:`~sottovoce.mechanisms._public_words`), as a number below g.

Two sums serve everything else, each one pass over the table:

* :meth:`FixedFamily.gather`: W[i, y] = sum of w_v over values with H[i, v] = y;
* :meth:`FixedFamily.scatter`: c_v = sum over i of T[i, H[i, v]].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.mechanisms._public_words import public_index, public_indices

__all__ = ["FixedFamily"]

Ints = NDArray[np.int64]

_USE = "hashes"
_CHUNK = 2**20
"""Entries of the table taken up at a time."""
_LARGEST_COLLISIONS = 2**31
"""Comparisons (half a second) above which collisions of pairs are not counted."""
_LARGEST_PAIRS = 2**22
"""Pairs above which their collisions are not kept."""


@dataclass(frozen=True)
class FixedFamily:
    """``hashes`` functions from ``size`` values to ``g`` cells, drawn by ``key``."""

    size: int
    g: int
    hashes: int
    key: str

    def cell(self, hash_: int, index: int) -> int:
        """H[hash_, index] in plain integers; the same work for every index."""
        return public_index(self.g, _USE, self.key, hash_, index)

    @cached_property
    def table(self) -> NDArray[Any]:
        """H, one row a hash, in the smallest type that holds a cell."""
        table = np.empty((self.hashes, self.size), dtype=np.min_scalar_type(self.g - 1))
        for hash_, row in enumerate(table):
            row[:] = public_indices(self.g, _USE, self.key, hash_, self.size)
        return table

    def hash_many(self, hashes: Ints, values: Ints) -> Ints:
        """The cell of ``values[j]`` under hash number ``hashes[j]``."""
        return self.table.ravel()[hashes * self.size + values].astype(np.int64)

    def _rows(self) -> Iterator[tuple[slice, Ints]]:
        """A few hashes at a time, with the place of H[i, v] among the cells of those hashes."""
        step = max(1, _CHUNK // self.size)
        for start in range(0, self.hashes, step):
            some = self.table[start : start + step].astype(np.int64)
            some += self.g * np.arange(len(some))[:, None]
            yield slice(self.g * start, self.g * (start + len(some))), some

    def gather(self, weights: Floats) -> Floats:
        """W[i, y], as a flat array of ``hashes * g`` numbers."""
        gathered = np.empty(self.hashes * self.g)
        for cells, places in self._rows():
            repeated = np.broadcast_to(weights, places.shape).ravel()
            gathered[cells] = np.bincount(
                places.ravel(), weights=repeated, minlength=cells.stop - cells.start
            )
        return gathered

    def scatter(self, table: Floats) -> Floats:
        """c_v, from the flat table T of ``hashes * g`` numbers."""
        scattered = np.zeros(self.size)
        for cells, places in self._rows():
            scattered += table[cells][places].sum(axis=0)
        return scattered

    @cached_property
    def collisions(self) -> Floats | None:
        """The share of hashes that send u and v to one cell, where there are few enough pairs."""
        pairs = self.size**2
        if pairs > _LARGEST_PAIRS or pairs * self.hashes > _LARGEST_COLLISIONS:
            return None
        found = np.zeros((self.size, self.size))
        for start in range(0, self.hashes, 255):  # as many as a byte counts
            part = np.zeros(found.shape, dtype=np.uint8)
            for row in self.table[start : start + 255]:
                part += row[:, None] == row[None, :]
            found += part
        return found / self.hashes

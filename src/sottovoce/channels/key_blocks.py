"""Reports about keys that part the likelihood: the cells of a key depend on that key's shares alone.

Where shares sum to 1, the cells of key k expect ``base + matrix w_k``, ``w_k`` the shares of its bins
(see :mod:`sottovoce.mechanisms._key_value_channel`).  So the information of the reports on all shares is
a small matrix per key and no more, whatever the number of keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["KeyBlocks"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KeyBlocks:
    """``matrix`` (cells of a key by bins) and ``base``, the same for every key.

    ``apart``: every key has a part of each report, independent of the others given the pair; else a
    report is in one cell of all.  ``no_pair`` has the chances of the cell "no pair" for those who hold a
    pair and for those who do not; None where there is no such cell, and ``sets`` says that people may
    hold none all the same.
    """

    keys: int
    matrix: Floats
    base: Floats
    apart: bool
    sets: bool
    no_pair: tuple[float, float] | None = None

    @property
    def bins(self) -> int:
        """Bins of a key."""
        return self.matrix.shape[1]

    def split(self, inputs: Floats) -> tuple[Floats, float]:
        """A row per key, and what belongs to no pair."""
        held = inputs[: self.keys * self.bins].reshape(self.keys, self.bins)
        return held, float(inputs[-1]) if self.sets else 0.0

    def join(self, held: Floats, no_pair: float) -> Floats:
        """The inverse of :meth:`split`."""
        return np.append(held.ravel(), no_pair) if self.sets else held.ravel()

    def expected(self, held: Floats) -> Floats:
        """Chances of all cells, a row per key."""
        return self.base + held @ self.matrix.T

    def information(self, shares: Floats) -> tuple[Floats, float]:
        """``B' diag(1 / x) B`` of every key, and of no pair: of one report."""
        held, nobody = self.split(shares)
        scaled = self.matrix[None] / np.sqrt(self.expected(held))[:, :, None]
        of_keys = np.matmul(scaled.transpose(0, 2, 1), scaled)
        if self.no_pair is None:
            return of_keys, 0.0
        anybody, those = self.no_pair
        return of_keys, (those - anybody) ** 2 / (anybody + (those - anybody) * nobody)

"""Which cells support which values, as a short rule: where pairs are too many to be listed.

A cell y has a vector ``a_y`` and a target ``t_y``, a value v a point ``x_v``, all of a few digits
modulo g.  The cell supports the value where ``<a_y, x_v> = t_y (mod g)``.  Cells and values may lie
in blocks: then a cell says nothing of the values of other blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SupportRule", "digits_of"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SupportRule:
    """The rule, and what a cell adds to the unbiased share of a value."""

    modulus: int
    vectors: Ints
    """A row of digits per cell."""
    targets: Ints
    """One per cell."""
    points: Ints
    """A row of digits per value."""
    inside: float
    """What a cell adds that supports the value."""
    outside: float
    """What a cell adds that does not."""
    cell_blocks: Ints | None = None
    """The block of every cell, where there are several; a cell of another block adds nothing."""
    value_blocks: Ints | None = None

    def weights(self, value: int) -> NDArray[np.float64]:
        """What every cell adds to the share of one value."""
        found = self.vectors @ self.points[value] % self.modulus == self.targets
        weights = np.where(found, self.inside, self.outside)
        if self.cell_blocks is None or self.value_blocks is None:
            return weights
        return np.where(self.cell_blocks == self.value_blocks[value], weights, 0.0)


def digits_of(numbers: Ints, base: int, count: int) -> Ints:
    """The digits of each number, least first.

    >>> digits_of(np.array([5, 7]), 3, 2).tolist()
    [[2, 1], [1, 2]]
    """
    return numbers[:, None] // base ** np.arange(count) % base

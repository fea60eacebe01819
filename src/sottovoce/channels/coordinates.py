"""The channel of a vector whose coordinates are randomized by one mechanism each."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.channels.cell_weights import CellWeights

__all__ = ["CoordinatesChannel"]


class CoordinatesChannel(Channel):
    """The channel of one coordinate, over and over along the diagonal.

    Inputs are pairs (coordinate, bin) of weight ``marginal / k``.  A report of one drawn
    coordinate (``every=False``) falls in one of all cells.  A report of every coordinate
    falls in one cell of each of k blocks, and the channel is k times as large: columns sum
    to the number of blocks, and expectation-maximisation keeps each coordinate's weight
    at 1/k by itself.
    """

    def __init__(self, one: Channel, coordinates: int, *, every: bool) -> None:
        self.one, self.coordinates = one, coordinates
        self.inputs, self.cells = coordinates * one.inputs, coordinates * one.cells
        self.blocks = coordinates if every else 1
        self.identifies_distribution = one.identifies_distribution
        self._scale = float(coordinates) if every else 1.0

    def forward(self, shares: Floats) -> Floats:
        parts = shares.reshape(self.coordinates, -1)
        return self._scale * np.concatenate([self.one.forward(part) for part in parts])

    def adjoint(self, values: Floats) -> Floats:
        parts = values.reshape(self.coordinates, -1)
        return self._scale * np.concatenate([self.one.adjoint(part) for part in parts])

    @property
    def inverse(self) -> Inverse | None:
        """That of one coordinate over and over, for reports of one drawn coordinate."""
        one = self.one.inverse
        if one is None or self.blocks > 1 or not self.one.exact_inverse:
            return None
        return _CoordinatesInverse(one, self.coordinates)

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """Those of every coordinate, where each has them."""
        parts = [self.one.cell_weights(part) for part in weights.reshape(self.coordinates, -1)]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        values = np.concatenate([part.values for part in found]) / self._scale
        return CellWeights(values, max(part.bias_bound for part in found))


class _CoordinatesInverse:
    def __init__(self, one: Inverse, coordinates: int) -> None:
        self._one, self._coordinates = one, coordinates

    def forward(self, frequencies: Floats) -> Floats:
        parts = frequencies.reshape(self._coordinates, -1)
        return np.concatenate([self._one.forward(part) for part in parts])

    def adjoint(self, weights: Floats) -> Floats:
        parts = weights.reshape(self._coordinates, -1)
        return np.concatenate([self._one.adjoint(part) for part in parts])

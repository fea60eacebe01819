"""Several values reported together, each by a channel of its own: the product of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse

__all__ = ["ProductChannel"]


class ProductChannel(Channel):
    """``A = A_1 (x) A_2 (x) ...``: independent reports of several answers, as one cell.

    Inputs and cells are numbered with the last answer varying fastest.  The inverse is the product of
    inverses that are first made to sum to 1 whatever is reported: ``B + (1 - 1'B) / d`` leaves
    ``B A = I``, and tables then have the margins that the reports about fewer answers give.
    """

    def __init__(self, channels: Sequence[Channel]) -> None:
        self.channels = tuple(channels)
        self.inputs = math.prod(channel.inputs for channel in channels)
        self.cells = math.prod(channel.cells for channel in channels)
        self._matrices = [channel.dense() for channel in channels]
        self._inverses = [_summing_to_one(channel) for channel in channels]

    def forward(self, shares: Floats) -> Floats:
        return _along(self._matrices, shares)

    def adjoint(self, values: Floats) -> Floats:
        return _along([matrix.T for matrix in self._matrices], values)

    @property
    def inverse(self) -> Inverse:
        return _ProductInverse(self._inverses)


class _ProductInverse:
    def __init__(self, inverses: Sequence[Floats]) -> None:
        self._inverses = inverses

    def forward(self, frequencies: Floats) -> Floats:
        return _along(self._inverses, frequencies)

    def adjoint(self, weights: Floats) -> Floats:
        return _along([inverse.T for inverse in self._inverses], weights)


def _summing_to_one(channel: Channel) -> Floats:
    """The unbiased estimate of one answer as a matrix, columns shifted evenly to sum to 1."""
    inverse = channel.inverse
    assert inverse is not None  # every answer has a pure oracle
    matrix = np.stack([inverse.forward(unit) for unit in np.eye(channel.cells)], axis=1)
    return np.asarray(matrix + (1 - matrix.sum(axis=0)) / channel.inputs)


def _along(matrices: Sequence[Floats], vector: Floats) -> Floats:
    """Each matrix applied along its axis of a vector that is a product."""
    array = vector.reshape([matrix.shape[1] for matrix in matrices])
    for matrix in matrices:  # the first axis moves to the end, so that the order is kept
        array = np.tensordot(array, matrix, axes=(0, 1))
    return np.ascontiguousarray(array).ravel()

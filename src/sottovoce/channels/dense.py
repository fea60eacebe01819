"""Channels given by a matrix."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse

__all__ = ["DenseChannel"]


class DenseChannel(Channel):
    """A channel given by its matrix (cells by inputs), one block.

    Its inverse is the linear unbiased estimate of least variance when all
    inputs are equally frequent: ``(A' R^-1 A)^-1 A' R^-1``, ``R = diag(A u)``.
    """

    def __init__(self, matrix: Floats) -> None:
        self.matrix = matrix
        self.cells, self.inputs = matrix.shape

    def forward(self, shares: Floats) -> Floats:
        return self.matrix @ shares

    def adjoint(self, values: Floats) -> Floats:
        return self.matrix.T @ values

    def dense(self) -> Floats:
        return self.matrix.copy()

    @cached_property
    def _left_inverse(self) -> Floats | None:
        marginal = self.matrix.mean(axis=1)
        live = marginal > 0
        root = np.sqrt(np.where(live, marginal, 1.0))
        scaled = self.matrix / root[:, None]
        if np.linalg.matrix_rank(scaled) < self.inputs:
            return None
        solved: Floats = np.linalg.pinv(scaled) / root
        return solved

    @property
    def inverse(self) -> Inverse | None:
        return None if self._left_inverse is None else _MatrixInverse(self._left_inverse)

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        inverse = self._left_inverse
        if inverse is None:
            return super().variance(shares, frequencies)
        seen = self.forward(shares) if frequencies is None else frequencies
        return np.maximum(0.0, inverse**2 @ seen - shares)


class _MatrixInverse:
    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix

    def forward(self, frequencies: Floats) -> Floats:
        return self._matrix @ frequencies

    def adjoint(self, weights: Floats) -> Floats:
        return self._matrix.T @ weights

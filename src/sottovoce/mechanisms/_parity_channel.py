"""Reports of one parity of two answers, and what two answers have beyond their own shares."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.kernels.hadamard import walsh_hadamard

__all__ = ["PairParityChannel", "order_above"]


def order_above(size: int) -> int:
    """The least power of two that is at least ``size``."""
    return 1 << (size - 1).bit_length()


class PairParityChannel(Channel):
    """``A[(s, t, y), (a, b)] = [1 + (-1)^y (P - Q) chi_s(a) chi_t(b)] / 2K``.

    ``chi_s(a) = (-1)^(s & a)``, s and t any numbers but 0 below the powers of two D_a and D_b that hold the
    answers, ``K = (D_a - 1)(D_b - 1)``; P is the chance of one's own bit, Q that of the other.

    Functions of one answer have mean 0 against every such product, so that reports say nothing about
    them.  The inverse gives the *interaction* of a table f,
    ``f_ab - f_a / D_b - f_b / D_a + 1 / (D_a D_b)``, which less its own row and column means is that of f.
    """

    identifies_distribution = False
    exact_inverse = False

    def __init__(self, sizes: tuple[int, int], weights: tuple[int, int], total: int) -> None:
        keep, _ = weights
        self.sizes, self.orders = sizes, (order_above(sizes[0]), order_above(sizes[1]))
        self.inputs = sizes[0] * sizes[1]
        self.hashes = (self.orders[0] - 1) * (self.orders[1] - 1)
        self.cells = 2 * self.hashes
        self.gap = keep / total

    def forward(self, shares: Floats) -> Floats:
        signed = self.gap * self.coefficients(shares)
        ones = shares.sum()
        return np.stack([ones + signed, ones - signed], axis=1).ravel() / (2 * self.hashes)

    def adjoint(self, values: Floats) -> Floats:
        pairs = values.reshape(self.hashes, 2)
        signed = self.from_coefficients(pairs[:, 0] - pairs[:, 1])
        return (values.sum() + self.gap * signed) / (2 * self.hashes)

    @property
    def inverse(self) -> Inverse:
        return _Interaction(self)

    def coefficients(self, table: Floats) -> Floats:
        """``sum over a, b of table_ab chi_s(a) chi_t(b)`` for all s and t but 0."""
        padded = np.zeros(self.orders)
        padded[: self.sizes[0], : self.sizes[1]] = table.reshape(self.sizes)
        return self._transform(padded)[1:, 1:].ravel()

    def from_coefficients(self, coefficients: Floats) -> Floats:
        """``sum over s, t of c_st chi_s(a) chi_t(b)`` for all answers: the transpose."""
        padded = np.zeros(self.orders)
        padded[1:, 1:] = coefficients.reshape(self.orders[0] - 1, self.orders[1] - 1)
        return self._transform(padded)[: self.sizes[0], : self.sizes[1]].ravel()

    def _transform(self, padded: Floats) -> Floats:
        return walsh_hadamard(walsh_hadamard(padded).T).T


class _Interaction:
    """``c_st = K (x_st0 - x_st1) / (P - Q)``, and the table of these coefficients."""

    def __init__(self, channel: PairParityChannel) -> None:
        self._channel = channel
        first, second = channel.orders
        self._scale = channel.hashes / (channel.gap * first * second)

    def forward(self, frequencies: Floats) -> Floats:
        pairs = frequencies.reshape(-1, 2)
        return self._scale * self._channel.from_coefficients(pairs[:, 0] - pairs[:, 1])

    def adjoint(self, weights: Floats) -> Floats:
        signed = self._scale * self._channel.coefficients(weights)
        return np.stack([signed, -signed], axis=1).ravel()

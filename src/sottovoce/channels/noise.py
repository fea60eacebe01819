"""The channel of noise added on a grid, its ends taking what would fall beyond them.

Input x becomes cell ``clip(x + reach + k, 0, cells - 1)`` with the probability of the
noise k, which is symmetric.  Away from the two end cells an entry depends on the
distance alone (a Toeplitz matrix), so products are convolutions, by fast Fourier
transform in O(cells log cells); the end cells are two dot products with the tails.

For geometric noise two recursions would do; the integer weights that a device draws
with are geometric, or Gaussian, only to rounding, and the transform takes any weights.

A transform is exact to about 1e-17 of its largest entries, while the chance of a report far from
its input may be smaller.  Where nothing is negative, products are brought to the least they can be.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights, affine
from sottovoce.channels.dense import DenseChannel

__all__ = ["CensoredNoiseChannel"]

_ODD_DEGREES = (1, 3, 5, 7)
_MANY_REPORTS = 1e12
_SMALL = 2**15
_GEOMETRIC = 1e-6
"""What gains for geometric noise may miss, in parts of the spread of the weights."""


class CensoredNoiseChannel(Channel):
    """``heights[k]`` is the probability of noise k and of -k; ``tail`` of noise beyond either end.

    There are ``bins + reach - 1`` heights: noise of that size or more moves every input
    beyond an end.
    """

    def __init__(self, bins: int, reach: int, heights: Floats, tail: float) -> None:
        self.inputs, self.cells = bins, bins + 2 * reach
        self._reach, self._heights, self._tail = reach, heights, tail

    @cached_property
    def _ends(self) -> Floats:
        """For every input the probability of the first cell; reversed, of the last one."""
        tails = self._tail + np.cumsum(self._heights[::-1])[::-1]
        return np.append(tails, self._tail)[self._reach :]

    @cached_property
    def _kernel(self) -> Floats:
        """The probabilities of all noise that stays between the end cells, least first."""
        return np.concatenate([self._heights[:0:-1], self._heights])

    @cached_property
    def _length(self) -> int:
        return 1 << max(1, len(self._kernel) - 1).bit_length()

    @cached_property
    def _spectrum(self) -> NDArray[np.complex128]:
        return np.fft.rfft(self._kernel, self._length)

    def forward(self, shares: Floats) -> Floats:
        if self._small is not None:
            return self._small.forward(shares)
        expected = np.empty(self.cells)
        product = self._spectrum * np.fft.rfft(shares, self._length)
        around = np.fft.irfft(product, self._length)
        expected[1:-1] = around[self.inputs - 1 : len(self._kernel)]
        expected[0] = self._ends @ shares
        expected[-1] = self._ends[::-1] @ shares
        return expected if shares.min() < 0 else np.maximum(expected, self._least * shares.sum())

    def adjoint(self, values: Floats) -> Floats:
        if self._small is not None:
            return self._small.adjoint(values)
        padded = np.zeros(self._length)
        padded[self.inputs - 1 : len(self._kernel)] = values[1:-1]
        product = np.conj(self._spectrum) * np.fft.rfft(padded)
        inner = np.fft.irfft(product, self._length)[: self.inputs]
        if values.min() >= 0:
            inner = np.maximum(inner, 0.0)
        return inner + values[0] * self._ends + values[-1] * self._ends[::-1]

    def _dense(self) -> Floats:
        places = np.arange(self.inputs - 1, len(self._kernel))[:, None] - np.arange(self.inputs)
        inner = self._kernel[places] if places.size else np.empty((0, self.inputs))
        return np.concatenate([self._ends[None], inner, self._ends[None, ::-1]])

    @cached_property
    def _least(self) -> Floats:
        """The least probability of every cell over the inputs."""
        cells = np.arange(1, self.cells - 1) - self._reach
        farthest = np.maximum(cells, self.inputs - 1 - cells)
        return np.concatenate([[self._tail], self._heights[farthest], [self._tail]])

    @cached_property
    def _small(self) -> DenseChannel | None:
        """The matrix, where its products are faster than transforms."""
        return DenseChannel(self._dense()) if self.inputs * self.cells <= _SMALL else None

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """For weights on a straight line: nearly the place of each cell, the ends farther out.

        Noise is symmetric, so places are right on average but for what the ends cut off.
        That is made good within a family of a few odd functions: the place, the ends, and
        what a cell tells of odd polynomials of the input when all inputs are alike.  Of these
        the gains have the least ``bias^2 + variance / n`` for n = 10^12 reports, all inputs
        being alike: of little variance, and of a bias (``bias_bound``) that only more would show.

        For other weights there are gains where noise is geometric, and none where it is not.
        """
        line = affine(weights)
        if line is None:
            return self._geometric_gains(weights)
        a, b = line
        middle = (self.inputs - 1) / 2
        values = np.full(self.cells, a)
        if b != 0.0:
            values = a + b * (middle + self._place_gains(middle))
        return CellWeights(values, float(np.abs(self.adjoint(values) - weights).max()))

    def _geometric_gains(self, weights: Floats) -> CellWeights | None:
        """For any weights z: geometric noise of ratio r, no cells beyond the inputs, is undone by

            g(y) = z(y) - r/(1-r)^2 [z(y-1) - 2 z(y) + z(y+1)]      g(0) = [z(0) - r z(1)] / (1-r)

        and so at the other end.  Whether the noise is geometric is seen from what they miss.
        """
        r = float(self._ends[1] / self._ends[0])
        if self._reach or not 0 < r < 1:
            return None
        values = np.empty(self.cells)
        values[1:-1] = weights[1:-1] - r / (1 - r) ** 2 * np.diff(weights, 2)
        values[0] = (weights[0] - r * weights[1]) / (1 - r)
        values[-1] = (weights[-1] - r * weights[-2]) / (1 - r)
        bias_bound = float(np.abs(self.adjoint(values) - weights).max())
        return (
            CellWeights(values, bias_bound) if bias_bound <= _GEOMETRIC * np.ptp(weights) else None
        )

    def _place_gains(self, middle: float) -> Floats:
        """Gains whose means are the places of the inputs, counted from the middle."""
        seen = self.forward(np.full(self.inputs, 1 / self.inputs))
        inputs, ends = np.linspace(-1.0, 1.0, self.inputs), np.zeros(self.cells)
        ends[0], ends[-1] = -1.0, 1.0
        odd = [self.forward(np.cos(k * np.arccos(inputs))) / seen for k in _ODD_DEGREES]
        family = np.stack([np.linspace(-1.0, 1.0, self.cells), ends, *odd], axis=1)
        means = np.stack([self.adjoint(function) for function in family.T], axis=1)
        noise = np.sqrt(seen / _MANY_REPORTS)[:, None] * family
        system = np.concatenate([means / np.sqrt(self.inputs), noise])
        wanted = (np.arange(self.inputs) - middle) / np.sqrt(self.inputs)
        scales = np.sqrt((system**2).sum(axis=0))
        goal = np.concatenate([wanted, np.zeros(self.cells)])
        found = np.linalg.lstsq(system / scales, goal, rcond=None)[0] / scales
        places: Floats = family @ found
        return places

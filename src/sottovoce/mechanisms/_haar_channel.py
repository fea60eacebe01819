"""What a Haar report does to a distribution: a Walsh-Hadamard transform a height."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats, Inverse
from sottovoce.channels.stacked import LevelSampling
from sottovoce.channels.tree import Tree
from sottovoce.kernels.hadamard import walsh_hadamard

__all__ = ["HaarChannel"]


class HaarChannel(LevelSampling):
    """``P[h, j, y] = rate_h / (2 J) (1 + y k sum over a of D_a phi[a, j])``, J the columns of h.

    k is the probability to keep to one's sign, ``(E-1)/(E+1)``.  Level ``h - 1`` of the
    binary tree has the halves of the nodes of height h.
    """

    inverse_name = "haar"
    levels_apart = True

    def __init__(self, tree: Tree, keep: float, rates: Sequence[float] | None = None) -> None:
        self.tree, self._keep, self.counted = tree, keep, rates is not None
        self.rates = (1 / tree.height,) * tree.height if rates is None else tuple(rates)
        self._columns = [1 << below for below in reversed(range(tree.height))]
        self.bounds = (0, *accumulate(2 * columns for columns in self._columns))
        self.inputs, self.cells = tree.size, self.bounds[-1]

    def _at(self, rates: Sequence[float]) -> HaarChannel:
        return HaarChannel(self.tree, self._keep, rates)

    def forward(self, shares: Floats) -> Floats:
        total, found = shares.sum(), []
        levels = zip(self.rates, self._columns, self.tree.levels(shares), strict=True)
        for rate, columns, halves in levels:
            mean = self._keep * self._signs(differences(halves), columns)
            found.append(rate / (2 * columns) * np.stack([total + mean, total - mean], axis=1))
        return np.concatenate([part.ravel() for part in found])

    def adjoint(self, values: Floats) -> Floats:
        found, sizes = [], self.tree.sizes
        levels = zip(self.rates, self._columns, self.parts(values), sizes, strict=True)
        for rate, columns, part, halves in levels:
            signed = self._keep * self._by_node(part, halves)
            turned = np.stack([signed, -signed], axis=1).ravel()[:halves]
            found.append(rate / (2 * columns) * (part.sum() + turned))
        return self.tree.paths(found)

    def _signs(self, nodes: Floats, columns: int) -> Floats:
        """For every column, the sum of nodes by their signs there."""
        placed = np.zeros(columns)
        placed[: len(nodes)] = nodes
        return walsh_hadamard(placed)

    def _by_node(self, part: Floats, halves: int) -> Floats:
        """For every node, the sum of plus less minus cells by its signs in the columns."""
        plus, minus = part.reshape(-1, 2).T
        return walsh_hadamard(plus - minus)[: (halves + 1) // 2]

    # -- estimates -------------------------------------------------------------------

    def node_differences(self, frequencies: Floats) -> list[Floats]:
        """Unbiased ``D_a`` for every node, lowest height first."""
        levels = zip(self.rates, self.parts(frequencies), self.tree.sizes, strict=True)
        return [self._by_node(part, halves) / (self._keep * rate) for rate, part, halves in levels]

    @property
    def inverse(self) -> Inverse:
        return _HaarInverse(self)

    # -- errors ----------------------------------------------------------------------

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """n times the variance of every share, exact.

        A share is ``c + sum over heights of b_h D_a``; a report of height h adds
        ``c +- b_h / (k rate_h)``.  Its squares, less ``f``, sum to

            c^2 + 2 c (f - c) + sum over h of x_h b_h^2 / (k rate_h)^2 - f,

        x_h the frequency of the height.  Where rates were counted it is
        ``sum over h of b_h^2 (1/k^2 - D_a^2) / rate_h - f (1 - f)``.
        """
        tree, k = self.tree, self._keep
        seen = self.rates if frequencies is None else [x.sum() for x in self.parts(frequencies)]
        squares, constant = np.zeros(1), np.ones(1)
        halves = tree.levels(shares)
        for height in reversed(range(tree.height)):
            count, rate = tree.sizes[height], self.rates[height]
            noise = np.full(len(squares), seen[height] / (k * rate) ** 2)
            if self.counted:
                noise = (1 / k**2 - differences(halves[height]) ** 2) / rate
            whole = _whole(count)
            squares = np.where(whole, squares, (squares + noise) / 4).repeat(2)[:count]
            constant = np.where(whole, constant, constant / 2).repeat(2)[:count]
        if self.counted:
            return np.maximum(0.0, squares - np.maximum(shares * (1 - shares), 0.0))
        return np.maximum(0.0, constant * (2 * shares - constant) + squares - shares)

    def expected_variance_of_all(self, shares: Floats) -> float:
        """The sum of all shares is the root's, which is known."""
        return 0.0


class _HaarInverse:
    def __init__(self, channel: HaarChannel) -> None:
        self._channel = channel

    def forward(self, frequencies: Floats) -> Floats:
        channel, shares = self._channel, np.full(1, frequencies.sum())
        found = zip(channel.tree.sizes, channel.node_differences(frequencies), strict=True)
        for count, gaps in reversed(list(found)):
            # left = (whole + D) / 2, right = (whole - D) / 2; an empty right half leaves all
            shares = np.stack([shares + gaps, shares - gaps], axis=1).ravel() / 2
            if count < len(shares):
                shares[-2] += shares[-1]
            shares = shares[:count]
        return shares

    def adjoint(self, weights: Floats) -> Floats:
        channel, found = self._channel, []
        for rate, columns in zip(channel.rates, channel._columns, strict=True):
            whole = _whole(len(weights))
            cell_weights = np.where(whole, 0.0, differences(weights) / 2)
            weights = np.where(whole, weights[::2], channel.tree.sums(weights) / 2)
            signed = channel._signs(cell_weights, columns) / (channel._keep * rate)
            found.append(np.stack([signed, -signed], axis=1).ravel())
        return np.concatenate(found) + weights[0]


def differences(halves: Floats) -> Floats:
    """Left less right of every node; a missing right half is empty."""
    gaps = halves[::2].copy()
    gaps[: len(halves) // 2] -= halves[1::2]
    return gaps


def _whole(halves: int) -> NDArray[np.bool_]:
    """Which nodes have no right half: the last, where the halves are an odd number."""
    return np.arange(1, halves + 1, 2) == halves

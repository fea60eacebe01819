"""What a hierarchy of oracles does to a distribution: a stack of channels, a level each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse, SupportProbabilities
from sottovoce.channels.stacked import LevelSampling, StackedChannel
from sottovoce.channels.tree import ConstrainedInference, Tree, TreeChannel

__all__ = ["HierarchyChannel", "SampledHierarchyChannel"]

_FEW = 128
"""Inputs up to which the variance of every share is found one by one, covariances included."""


class HierarchyChannel(StackedChannel, TreeChannel):
    """A report speaks of every level (the budget is split): the channels of all levels, stacked.

    Its inverse is constrained inference on the unbiased shares of all nodes, with the
    variances that levels have when all values are equally frequent.
    """

    inverse_name = "hh-ci"

    def __init__(self, tree: Tree, channels: Sequence[Channel]) -> None:
        self.tree, self.channels = tree, tuple(channels)
        self.inputs, self.cells = tree.size, sum(channel.cells for channel in channels)
        self.blocks = sum(channel.blocks for channel in channels)
        self.rates = (1.0,) * tree.height
        self.bounds = (0, *accumulate(channel.cells for channel in channels))

    def forward(self, shares: Floats) -> Floats:
        levels = zip(self.rates, self.channels, self.tree.levels(shares), strict=True)
        return np.concatenate([rate * channel.forward(nodes) for rate, channel, nodes in levels])

    def adjoint(self, values: Floats) -> Floats:
        levels = zip(self.rates, self.channels, self.parts(values), strict=True)
        return self.tree.paths([rate * channel.adjoint(part) for rate, channel, part in levels])

    # -- estimates -------------------------------------------------------------------

    def node_shares(self, frequencies: Floats) -> list[Floats]:
        levels = zip(self.rates, self.channels, self.parts(frequencies), strict=True)
        return [_inverse(channel).forward(part) / rate for rate, channel, part in levels]

    def node_gains(self, nodes: Sequence[Floats]) -> Floats:
        """What each cell adds to a weighted sum of all nodes."""
        levels = zip(self.rates, self.channels, nodes, strict=True)
        cell_weights = [
            _inverse(channel).adjoint(weights) / rate for rate, channel, weights in levels
        ]
        return np.concatenate(cell_weights)

    @cached_property
    def inference(self) -> ConstrainedInference:
        """Constrained inference by what the levels' noise is when all values are alike."""
        uniform = self.tree.levels(np.full(self.inputs, 1 / self.inputs))
        planned = [float(noise.mean()) for noise in self.node_variances(uniform)]
        return ConstrainedInference(self.tree, planned if self.inputs > 1 else [1.0])

    @property
    def inverse(self) -> Inverse:
        return _HierarchyInverse(self)

    # -- errors ----------------------------------------------------------------------

    def node_variances(self, levels: Sequence[Floats]) -> list[Floats]:
        """n times the variance of each node's share, its level by itself."""
        pairs = zip(self.channels, levels, strict=True)
        return [_pure(channel).variance(nodes) for channel, nodes in pairs]

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """Exact: the bits of unary encoding are independent, and so are the nodes' shares."""
        return self.inference.leaf_variances(self.node_variances(self.tree.levels(shares)))

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """Of independent nodes: the variances of all, times their squared weights."""
        asked, _ = self.inference.adjoint(weights)
        noise = self.node_variances(self.tree.levels(shares))
        return sum(float(z**2 @ of) for z, of in zip(asked, noise, strict=True))

    def expected_variance_of_all(self, shares: Floats) -> float:
        """The sum of all shares is the root's, which is known."""
        return 0.0


class SampledHierarchyChannel(LevelSampling, HierarchyChannel):
    """A report speaks of one level, drawn by the device (the population is split)."""

    def __init__(
        self, tree: Tree, channels: Sequence[Channel], rates: Sequence[float] | None = None
    ) -> None:
        HierarchyChannel.__init__(self, tree, channels)
        self.blocks, self.counted = 1, rates is not None
        self.rates = (1 / tree.height,) * tree.height if rates is None else tuple(rates)

    def _at(self, rates: Sequence[float]) -> SampledHierarchyChannel:
        return SampledHierarchyChannel(self.tree, self.channels, rates)

    def node_variances(self, levels: Sequence[Floats]) -> list[Floats]:
        """The noise, and that a level hears only some people: ``(Var + f(1-f)) / rate``."""
        noise = zip(self.rates, super().node_variances(levels), levels, strict=True)
        return [(of + np.maximum(f * (1 - f), 0.0)) / rate for rate, of, f in noise]

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """Exact for few values; for many, as if the nodes of a level were uncorrelated."""
        if self.inputs <= _FEW:
            return Channel.variance(self, shares, frequencies)
        return self.expected_variance(shares)

    def expected_variance(self, shares: Floats) -> Floats:
        """As if the nodes of a level were uncorrelated; nobody speaks of two levels."""
        spread = np.maximum(shares * (1 - shares), 0.0)
        return np.maximum(HierarchyChannel.variance(self, shares) - spread, 0.0)


class _HierarchyInverse:
    def __init__(self, channel: HierarchyChannel) -> None:
        self._channel = channel

    def forward(self, frequencies: Floats) -> Floats:
        channel = self._channel
        root = float(frequencies.sum()) / channel.blocks
        return channel.inference.nodes(channel.node_shares(frequencies), root)[0]

    def adjoint(self, weights: Floats) -> Floats:
        channel = self._channel
        asked, root = channel.inference.adjoint(weights)
        return channel.node_gains(asked) + root / channel.blocks


def _inverse(channel: Channel) -> Inverse:
    assert channel.inverse is not None  # every level has a pure oracle
    return channel.inverse


def _pure(channel: Channel) -> SupportProbabilities:
    assert channel.support_probabilities is not None
    return channel.support_probabilities

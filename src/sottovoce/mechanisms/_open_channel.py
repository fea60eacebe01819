"""Channels of mechanisms that protect some values only: an oracle over those, and open reports."""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.channels.support import SupportChannel
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._sensitive import FloorPoint

__all__ = ["OpenChannel"]


class OpenChannel(Channel):
    """One block: the cells of a pure oracle over S, and a cell for every value of N.

    ``inner`` is the oracle's channel, all of whose cells have the same weight ``floor`` from every value of
    N, which opens with the rest.  ``inputs`` are S and N, ``cells`` the protected and the open ones.  With x the frequencies of support, P of protected and O of open reports,

        share of v in S  =  (x_v - q P)/(p - q) + gamma O
        share of u in N  =  O_u / c
    """

    def __init__(
        self,
        inner: SupportChannel,
        floor: float,
        *,
        inputs: tuple[Indices, Indices],
        cells: tuple[Indices, Indices],
    ) -> None:
        self.inner, self.floor = inner, floor
        self.sensitive, self.others = inputs
        self._protected, self._open = cells
        self.inputs = len(self.sensitive) + len(self.others)
        self.cells = inner.cells + len(self.others)
        mass, support = floor * inner.cells, floor * float(inner.support(np.ones(inner.cells))[0])
        odds = inner.support_probabilities
        self.point = FloorPoint(odds.p, odds.q, support, mass - support, 1 - mass)

    def forward(self, shares: Floats) -> Floats:
        found = np.empty(self.cells)
        others = shares[self.others]
        found[self._protected] = self.inner.forward(shares[self.sensitive])
        found[self._protected] += self.floor * others.sum()
        found[self._open] = self.point.opened * others
        return found

    def adjoint(self, values: Floats) -> Floats:
        found, protected = np.empty(self.inputs), values[self._protected]
        found[self.sensitive] = self.inner.adjoint(protected)
        found[self.others] = self.floor * protected.sum() + self.point.opened * values[self._open]
        return found

    @property
    def inverse(self) -> Inverse:
        return _OpenInverse(self)

    def variance(self, shares: Floats, frequencies: Floats | None = None) -> Floats:
        """n times the variance of every share: ``frequencies . g^2 - f``, g being one of three."""
        cells = self.forward(shares) if frequencies is None else frequencies
        p, q, gamma = self.point.p, self.point.q, self.point.gamma
        protected, opened = cells[self._protected], cells[self._open]
        supported, found = self.inner.support(protected), np.empty(self.inputs)
        squares = supported * (1 - q) ** 2 + (protected.sum() - supported) * q**2
        found[self.sensitive] = squares / (p - q) ** 2 + gamma**2 * opened.sum()
        found[self.others] = opened / self.point.opened**2
        return np.maximum(0.0, found - shares)


class _OpenInverse:
    def __init__(self, channel: OpenChannel) -> None:
        self._channel = channel

    def forward(self, frequencies: Floats) -> Floats:
        channel, found = self._channel, np.empty(self._channel.inputs)
        opened = frequencies[channel._open]
        found[channel.sensitive] = channel.inner.inverse.forward(frequencies[channel._protected])
        found[channel.sensitive] += channel.point.gamma * opened.sum()
        found[channel.others] = opened / channel.point.opened
        return found

    def adjoint(self, weights: Floats) -> Floats:
        channel, found = self._channel, np.empty(self._channel.cells)
        sensitive, others = weights[channel.sensitive], weights[channel.others]
        found[channel._protected] = channel.inner.inverse.adjoint(sensitive)
        found[channel._open] = channel.point.gamma * sensitive.sum() + others / channel.point.opened
        return found

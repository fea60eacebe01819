"""Channels of pure oracles with one block: every cell supports a set of values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from sottovoce.channels.base import Channel, Floats, Inverse, SupportProbabilities

__all__ = ["SupportChannel", "SupportInverse"]


class SupportChannel(Channel):
    """A one-block channel of a pure oracle: each cell supports a set of values.

    Its unbiased estimate is ``f = (x - q)/(p - q)``, x the frequency of support.
    """

    support_probabilities: SupportProbabilities

    @abstractmethod
    def support(self, frequencies: Floats) -> Floats:
        """For each value, the sum of ``frequencies`` over the cells that support it."""

    @abstractmethod
    def spread(self, weights: Floats) -> Floats:
        """For each cell, the sum of ``weights`` over the values that it supports."""

    @property
    def inverse(self) -> Inverse:
        return SupportInverse(self.support, self.spread, self.support_probabilities)


class SupportInverse:
    """``f = (x - q)/(p - q)`` from the operators ``support`` and ``spread`` of a support channel."""

    def __init__(
        self,
        support: Callable[[Floats], Floats],
        spread: Callable[[Floats], Floats],
        support_probabilities: SupportProbabilities,
    ) -> None:
        self._support, self._spread, self._pure = support, spread, support_probabilities

    def forward(self, frequencies: Floats) -> Floats:
        p, q = self._pure.p, self._pure.q
        return (self._support(frequencies) - q * frequencies.sum()) / (p - q)

    def adjoint(self, weights: Floats) -> Floats:
        p, q = self._pure.p, self._pure.q
        return (self._spread(weights) - q * weights.sum()) / (p - q)

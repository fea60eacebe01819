"""What one person who answered twice adds to the covariance of two answers, as an error model.

Asked like any other error model, it gives the square root of that: put in the place of an estimate's own
errors, the same question that has a standard error has its shared part (as for
:class:`~sottovoce.answers.floors.LeastErrors`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.base.errors import NotIdentified
from sottovoce.channels.base import Channel, Floats
from sottovoce.core.memory import Memory

__all__ = ["SharedNoise", "SharedSpread"]


@dataclass(frozen=True, eq=False)
class SharedNoise:
    """The noise of memos: n times the variance of the first round alone."""

    memory: Memory
    channel: Channel
    """Of the reports."""
    shares: Floats
    """Of all windows together."""

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        if self.memory.kept.support_probabilities is not None:
            return np.sqrt(self.memory.variance(self.shares))
        return np.array([self.stderr_of(unit, about) for unit in np.eye(len(self.shares))])

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        gains = self.channel.cell_weights(weights)
        if gains is None:
            raise NotIdentified("these reports have no unbiased answer to this")
        return float(np.sqrt(self.memory.variance_of(weights, gains.values, self.shares)))


@dataclass(frozen=True, eq=False)
class SharedSpread:
    """The spread of values among people: n times the sampling variance of an answer."""

    shares: Floats

    def stderr(self, about: str) -> Floats:
        """Of every share."""
        return np.sqrt(np.maximum(self.shares * (1 - self.shares), 0.0))

    def stderr_of(self, weights: Floats, about: str) -> float:
        """Of ``weights . shares``."""
        mean = float(self.shares @ weights)
        return float(np.sqrt(max(0.0, float(self.shares @ weights**2) - mean**2)))

"""Tallies of how many reports speak for each value: a block (in, out) a value.

Shared by mechanisms whose reports are sets of values drawn independently of
each other given the sender's value: one's own is in with probability p, any
other with probability q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source
from sottovoce.channels.base import Channel, Floats, Inverse, SupportProbabilities
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Indices

__all__ = ["SupportBlocks", "UnaryChannel", "in_and_out", "simulate_supports"]

Counts = NDArray[np.int64]


class SupportBlocks(Mechanism):
    """A mechanism whose tallies are such blocks."""

    @property
    def cells(self) -> int:
        return 2 * self.domain.size

    @property
    def blocks(self) -> int:
        return self.domain.size


def in_and_out(supports: Counts, n: int) -> Counts:
    """The cells of a tally: for each value, the reports that speak for it and those that do not."""
    cells = np.empty(2 * len(supports), dtype=np.int64)
    cells[::2] = supports
    np.subtract(n, supports, out=cells[1::2])
    return cells


def simulate_supports(counts: Indices, p: float, q: float, source: Source) -> Counts:
    """The cells of a random tally: holders and others each add a binomial to every value."""
    random, n = source.generator(), int(counts.sum())
    return in_and_out(random.binomial(counts, p) + random.binomial(n - counts, q), n)


class UnaryChannel(Channel):
    """One block (in, out) a value: ``P[in] = q + (p - q) w_v``.

    Given the value, blocks are independent.  The estimate is written so that each
    block is unbiased by itself: a report that speaks for v adds
    ``(1 - q)/(p - q)``, one that does not ``-q/(p - q)``.
    """

    support_probabilities: SupportProbabilities

    def __init__(self, size: int, p: float, q: float) -> None:
        self.inputs, self.cells, self.blocks = size, 2 * size, size
        self.support_probabilities = SupportProbabilities(p, q)

    def forward(self, shares: Floats) -> Floats:
        total = shares.sum()
        inside = (
            self.support_probabilities.q * total
            + (self.support_probabilities.p - self.support_probabilities.q) * shares
        )
        return np.stack([inside, total - inside], axis=1).ravel()

    def adjoint(self, values: Floats) -> Floats:
        inside, outside = values.reshape(-1, 2).T
        gain = inside - outside
        return (
            outside.sum()
            + self.support_probabilities.q * gain.sum()
            + (self.support_probabilities.p - self.support_probabilities.q) * gain
        )

    @property
    def inverse(self) -> Inverse:
        return _UnaryInverse(self.support_probabilities)


class _UnaryInverse:
    def __init__(self, support_probabilities: SupportProbabilities) -> None:
        self._in = (1 - support_probabilities.q) / (
            support_probabilities.p - support_probabilities.q
        )
        self._out = -support_probabilities.q / (support_probabilities.p - support_probabilities.q)

    def forward(self, frequencies: Floats) -> Floats:
        inside, outside = frequencies.reshape(-1, 2).T
        return self._in * inside + self._out * outside

    def adjoint(self, weights: Floats) -> Floats:
        return np.outer(weights, (self._in, self._out)).ravel()

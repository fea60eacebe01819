"""Reports about a record of several questions: each is about one set of them, drawn by the device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from sottovoce.channels.base import Channel, Floats, Inverse
from sottovoce.channels.cell_weights import CellWeights
from sottovoce.channels.stacked import StackedChannel

__all__ = ["RecordChannel"]

_ROUNDING = 1e-9
"""What a sum over records may miss, in parts of its largest weight, and still count as exact."""


class RecordChannel(StackedChannel):
    """The channels of several question sets, stacked: ``A = (r_S A_S M_S)``, one block.

    ``sizes`` are the numbers of answers; a set S is a tuple of questions in order; ``M_S`` takes a
    distribution of records to its table over S, ``A_S`` is the channel of that set's oracle, and
    ``r_S`` the chance with which a device draws S.  An input is a whole record: only channels of few
    records can be used as operators, all can be taken apart set by set.

    Where the only set has all questions, this is the channel of its oracle.  Else it has no
    inverse: tables are estimated set by set.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        sets: Sequence[tuple[int, ...]],
        rates: Sequence[float],
        channels: Sequence[Channel],
        *,
        beyond_margins: bool = False,
    ) -> None:
        self.sizes, self.sets, self.channels = tuple(sizes), tuple(sets), tuple(channels)
        self.rates, self._beyond_margins = tuple(rates), beyond_margins
        self.inputs, self.cells = math.prod(sizes), sum(channel.cells for channel in channels)
        self.bounds = (0, *accumulate(channel.cells for channel in channels))
        self.identifies_distribution = self.sets == (tuple(range(len(self.sizes))),)
        if self.whole is not None:
            self.support_probabilities = self.whole.support_probabilities

    @property
    def record(self) -> RecordChannel:
        return self

    @property
    def whole(self) -> Channel | None:
        """The channel of the set of all questions, where there are no other sets."""
        return self.channels[0] if self.identifies_distribution else None

    def has_margins(self, number: int) -> bool:
        """Whether reports of a set say anything about its questions one by one.

        Where sets of one have their own reports, those of a pair may be about dependence only,
        as parities are.
        """
        return not self._beyond_margins or len(self.sets[number]) == 1

    def shape(self, asked: tuple[int, ...]) -> tuple[int, ...]:
        """The number of answers to each question of a set."""
        return tuple(self.sizes[question] for question in asked)

    def margin(self, table: Floats, asked: tuple[int, ...], kept: tuple[int, ...]) -> Floats:
        """The table over the questions ``kept``, in order, of a table over those ``asked``."""
        others = tuple(axis for axis, question in enumerate(asked) if question not in kept)
        return np.asarray(table.reshape(self.shape(asked)).sum(axis=others))

    def expand(self, weights: Floats, kept: tuple[int, ...], asked: tuple[int, ...]) -> Floats:
        """Weights of a table over ``kept`` as weights of one over ``asked``: the transpose of margin."""
        shape = [self.sizes[question] if question in kept else 1 for question in asked]
        return np.broadcast_to(weights.reshape(shape), self.shape(asked))

    # -- the operator ----------------------------------------------------------------

    def forward(self, shares: Floats) -> Floats:
        every = tuple(range(len(self.sizes)))
        parts = zip(self.sets, self.rates, self.channels, strict=True)
        return np.concatenate(
            [
                rate * channel.forward(self.margin(shares, every, asked).ravel())
                for asked, rate, channel in parts
            ]
        )

    def adjoint(self, values: Floats) -> Floats:
        every = tuple(range(len(self.sizes)))
        found = np.zeros(self.sizes)
        sets = zip(self.sets, self.rates, self.channels, self.parts(values), strict=True)
        for asked, rate, channel, part in sets:
            found += self.expand(rate * channel.adjoint(part), asked, every)
        return found.ravel()

    @property
    def inverse(self) -> Inverse | None:
        """That of the oracle over whole records; None where sets leave some distributions equal."""
        return None if self.whole is None else self.whole.inverse

    def cell_weights(self, weights: Floats) -> CellWeights | None:
        """What cells add to a sum over records, where that is a sum of functions of the sets.

        Each set takes the mean of what is left over the questions that it does not have.  Such means
        commute, so that one pass leaves exactly what no set can answer.
        """
        every, left = tuple(range(len(self.sizes))), weights.reshape(self.sizes).copy()
        found = []
        for asked, rate, channel in zip(self.sets, self.rates, self.channels, strict=True):
            others = tuple(question for question in every if question not in asked)
            part = left.mean(axis=others)
            left -= self.expand(part, asked, every)
            assert channel.inverse is not None  # every set has a pure oracle
            found.append(channel.inverse.adjoint(part.ravel()) / rate)
        missed = float(np.abs(left).max())
        if missed > _ROUNDING * max(1.0, float(np.abs(weights).max())):
            return None
        return CellWeights(np.concatenate(found), 0.0)

"""Cells stacked level by level, and what it adds to the noise when devices draw their level."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.dense import DenseChannel

__all__ = ["LevelSampling", "StackedChannel"]

_SMALL = 2**19
"""Entries of the matrix (4 MB) up to which it is written out for likelihood methods."""


class StackedChannel(Channel):
    """A channel whose cells are those of several levels, one after the other."""

    rates: tuple[float, ...]
    """The part of all reports that speak of each level."""
    bounds: tuple[int, ...]
    """Where each level's cells begin, and where the last ones end."""

    @cached_property
    def _written_out(self) -> DenseChannel:
        return DenseChannel(self.dense())

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        """Through the matrix itself while it is small: a pass takes less than a call a level."""
        if self.cells * self.inputs > _SMALL:
            return super().em_step(shares, cells)
        return self._written_out.em_step(shares, cells)

    def parts(self, cells: Floats) -> list[Floats]:
        """The cells of each level."""
        return [cells[start:stop] for start, stop in pairwise(self.bounds)]


class LevelSampling(StackedChannel):
    """A one-block channel of which a report speaks of one level, drawn by its device.

    ``rates`` are the chances with which levels are drawn, or (``counted``) the parts
    that a tally showed.
    """

    counted: bool = False
    levels_apart: bool = False
    """Whether the parts of levels only scale what their own cells add, and weigh no other's."""

    @abstractmethod
    def _at(self, rates: Sequence[float]) -> LevelSampling:
        """This channel with the parts of levels that were counted."""

    def conditioned_on(self, frequencies: Floats) -> Channel:
        """With the levels' parts as seen, unless a level was not drawn by anyone."""
        rates = [float(part.sum()) for part in self.parts(frequencies)]
        return self._at(rates) if min(rates) > 0 else self

    def variance_of(self, weights: Floats, frequencies: Floats, shares: Floats) -> float:
        """n times the variance of the answer ``weights . shares``, given the respondents.

        A report of level l adds ``g`` of its cell.  Given how many speak of each level
        the levels are a random partition of the respondents.  The answer is a sum over
        levels of means, and so has the variances of means of samples with replacement,
        ``(mean of g^2 - (mean of g)^2) / rate`` in units where the mean is over the
        level, less what is not there because nobody speaks twice: the spread of the
        answer's own weights among the respondents.

            n Var = x . g^2 - sum over l of (x_l . g_l)^2 / rate_l - [f . z^2 - (f . z)^2]
        """
        if not self.counted:
            return Channel.variance_of(self, weights, frequencies, shares)
        inverse = self.inverse
        assert inverse is not None
        cell_weights = inverse.adjoint(weights)
        means = [
            x @ g for x, g in zip(self.parts(frequencies), self.parts(cell_weights), strict=True)
        ]
        between = float(np.sum(np.square(means) / np.array(self.rates)))
        spread = float(shares @ weights**2 - (shares @ weights) ** 2)
        return max(0.0, float(frequencies @ cell_weights**2) - between - max(0.0, spread))

    def least_variance_of(self, weights: Floats) -> float:
        """Not known where the levels' parts were counted: their own spread is then not noise."""
        return 0.0 if self.counted else super().least_variance_of(weights)

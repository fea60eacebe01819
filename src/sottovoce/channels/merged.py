"""Fewer components than inputs: groups of inputs that share one weight, or have none.

A distribution over many inputs has many weights to estimate.  Where a group of h inputs is
taken to have equal shares, one weight stands for all of them: a component whose column is the
mean of the h columns.  Inputs that are left out have share 0.  Either way the result is again
a channel, with fewer inputs and the same cells, so that every method for channels works on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.rows import Rows
from sottovoce.domains.base import Indices

__all__ = ["Groups", "MergedChannel", "MergedRows"]

_LEFT_OUT = -1


@dataclass(frozen=True, eq=False)
class Groups:
    """Which component every input belongs to: ``labels[v]`` from 0, or -1 where it is left out."""

    labels: Indices

    @classmethod
    def singles(cls, inputs: int) -> Groups:
        """Every input by itself."""
        return cls(np.arange(inputs))

    @cached_property
    def sizes(self) -> Indices:
        """How many inputs each component has."""
        return np.bincount(self.labels[self.labels >= 0])

    @property
    def count(self) -> int:
        """How many components there are."""
        return len(self.sizes)

    @cached_property
    def _members(self) -> Indices:
        """Inputs that are in some component."""
        return np.flatnonzero(self.labels >= 0)

    @cached_property
    def _of_members(self) -> Indices:
        """Their components."""
        return self.labels[self._members]

    def expand(self, weights: Floats) -> Floats:
        """Shares of all inputs from weights of components: equal within each."""
        shares = np.zeros(len(self.labels))
        shares[self._members] = (weights / self.sizes)[self._of_members]
        return shares

    def gather(self, shares: Floats) -> Floats:
        """Weights of components from shares of inputs: the sum of each."""
        sums = np.bincount(self._of_members, shares[self._members], minlength=self.count)
        return sums.astype(np.float64, copy=False)

    def mean(self, values: Floats) -> Floats:
        """The mean over the inputs of every component: the adjoint of :meth:`expand`."""
        return self.gather(values) / self.sizes

    def merge(self, components: Iterable[int]) -> Groups:
        """These components as one, in the place of the first of them."""
        chosen = sorted(set(components))
        return self._relabelled(chosen, chosen[0])

    def leave_out(self, components: Iterable[int]) -> Groups:
        """Without these components: their inputs have share 0."""
        return self._relabelled(sorted(set(components)), _LEFT_OUT)

    def _relabelled(self, chosen: list[int], target: int) -> Groups:
        new = np.arange(self.count)
        new[chosen] = target
        kept = np.unique(new[new >= 0])
        places = np.where(new >= 0, np.searchsorted(kept, new), _LEFT_OUT)
        return Groups(np.where(self.labels >= 0, places[self.labels], _LEFT_OUT))


class MergedChannel(Channel):
    """A channel seen from components: ``A P``, P the :meth:`Groups.expand` of weights."""

    def __init__(self, one: Channel, groups: Groups) -> None:
        self.one, self.groups = one, groups
        self.inputs, self.cells, self.blocks = groups.count, one.cells, one.blocks
        self.independent, self.identifies_distribution = (
            one.independent,
            one.identifies_distribution,
        )

    def forward(self, shares: Floats) -> Floats:
        return self.one.forward(self.groups.expand(shares))

    def adjoint(self, values: Floats) -> Floats:
        return self.groups.mean(self.one.adjoint(values))

    def em_step(self, shares: Floats, cells: Floats) -> tuple[Floats, float]:
        ratio, likelihood = self.one.em_step(self.groups.expand(shares), cells)
        return self.groups.mean(ratio), likelihood


class MergedRows:
    """Whole reports seen from components."""

    def __init__(self, one: Rows, groups: Groups) -> None:
        self.one, self.groups = one, groups

    @property
    def inputs(self) -> int:
        """How many components there are."""
        return self.groups.count

    @property
    def total(self) -> float:
        """How many reports there are."""
        return self.one.total

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """That of the inputs, averaged over each component."""
        ratio, likelihood = self.one.em_step(self.groups.expand(shares))
        return self.groups.mean(ratio), likelihood

    def curvature(self, shares: Floats) -> Floats:
        """``P' H P``: that of the inputs, averaged both ways."""
        bend = self.one.curvature(self.groups.expand(shares))
        half = np.stack([self.groups.mean(column) for column in bend.T])
        return np.stack([self.groups.mean(row) for row in half.T])

"""Users whose reports tell nearly the same taken together: a small table instead of many rows.

``adaptive`` weighs many priors of smoothness, each of which looks at all rows several times.  With a
first fit w, a row that is divided by its expectation, ``r_i = L_i / (L_i w)``, says all that user i has to
say: near w the log-likelihood has the slope ``sum c r`` and the curvature ``sum c r r'``.  Users are put
into groups of nearly equal r and a group takes the mean of its r, over the part of users it has.  That keeps
the slope exactly; of the curvature it loses the spread within groups.  So groups are halved where
they are widest, in the directions that matter most: the largest eigenvectors of the curvature.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.dense import DenseChannel
from sottovoce.domains.base import Indices
from sottovoce.estimators.likelihood.em import em
from sottovoce.estimators.observed import Observations, Rearranged
from sottovoce.fusion.joint import FusedObservations

__all__ = ["condensed"]

_GROUPS = 4096
_DIRECTIONS = 8
_ROUNDS = 24
"""Groups, directions they are told apart by, and times that groups are halved, at most."""
_GAIN, _PASSES = 1.0, 200
"""When the first fit is near enough."""
_AT_ONCE = 2**13
"""Rows that are written out at a time."""


@dataclass(frozen=True, eq=False)
class _Condensed(Rearranged):
    """Groups of users as cells of a small table."""

    matrix: Floats
    counts: Floats

    @cached_property
    def channel(self) -> Channel:
        channel = DenseChannel(self.matrix)
        channel.ring = self.whole.channel.ring
        return channel

    @property
    def cells(self) -> Floats:
        return self.counts

    @property
    def likelihood(self) -> str:
        return f"{self.whole.likelihood}, users in {len(self.counts):,} groups"


def condensed(observations: FusedObservations) -> Observations:
    """Users in about 4,096 groups of nearly the same likelihood."""
    joint = observations.joint
    near = em(observations, tolerance=_GAIN, max_iterations=_PASSES).shares
    root = np.sqrt(near)
    bend = joint.curvature(near) * np.outer(root, root)
    directions = np.linalg.eigh(bend)[1][:, -_DIRECTIONS:].T * root
    sums = joint.sums([near, *directions])
    expected = sums[:, 0]
    group = _halved(sums[:, 1:] / sums[:, :1], joint.counts)
    counts = np.bincount(group, joint.counts).astype(np.float64, copy=False)
    matrix = np.zeros((len(counts), joint.inputs))
    for start in range(0, len(group), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        scale = joint.counts[some] / expected[some]
        order = np.argsort(group[some], kind="stable")
        found, begins = np.unique(group[some][order], return_index=True)
        rows = (joint.rows(some) * scale[:, None])[order]
        matrix[found] += np.add.reduceat(rows, begins, axis=0)
    return _Condensed(observations, matrix / observations.n, counts)


def _halved(points: Floats, counts: Floats) -> Indices:
    """Groups of near points: those that are widest are halved along their widest direction."""
    if len(points) <= _GROUPS:
        return np.arange(len(points))
    group = np.zeros(len(points), dtype=np.int64)
    for _ in range(_ROUNDS):
        many = int(group.max()) + 1
        sizes = np.bincount(group, counts, minlength=many)
        means = np.stack([np.bincount(group, counts * x, minlength=many) for x in points.T]) / sizes
        away = points - means.T[group]
        spreads = np.stack([np.bincount(group, counts * x**2, minlength=many) for x in away.T])
        widest, width = spreads.argmax(axis=0), spreads.sum(axis=0)
        halve = width > width.sum() / _GROUPS
        if many + np.count_nonzero(halve) > _GROUPS or not halve.any():
            break
        above = away[np.arange(len(group)), widest[group]] > 0
        moved = halve[group] & above
        fresh = np.cumsum(halve) - 1 + many
        group = np.unique(np.where(moved, fresh[group], group), return_inverse=True)[1]
    return group

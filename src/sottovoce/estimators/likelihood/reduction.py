"""Which components drown in noise: what mixture reduction may merge next.

Two strategies, both of Ye, Wang, Zhang, Feng 2025:

* *smallest*, for values without an order: of the components below the threshold the
  smallest, at most half of them at a time.  Components of equal weight are taken together
  or not at all, so that the result does not depend on how values are numbered.
* *window*, for values in order: at step t a run of ``ceil(length / 2^t)`` neighbours, none
  merged before, of the least sum, if that is below the threshold.  Where a domain has several
  stretches of values in order, as pairs of a key and a number have, one run of each.

The threshold of a component is a multiple of sigma, the standard error of its weight: that of
the unbiased share where there is one, else ``sigma_j = [n sum_y A_yj^2 / (A u)_y]^(-1/2)`` with
u uniform, the Cramer-Rao bound of one weight if all others were known (for whole reports, with the
information that was observed).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.merged import Groups
from sottovoce.domains.base import Indices
from sottovoce.estimators.observed import Observations

__all__ = ["Choice", "Smallest", "Strategy", "Window", "noise_of_weights"]

_TIED = 1e-9
"""Weights this near, in parts of the largest, are taken for equal: rounding errors set them apart."""
_MOST_COLUMNS = 1024
"""Columns of values in order whose bound is computed; between them it is interpolated."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Sets of components, each to become one (or to be left out), and what they were held against."""

    sets: tuple[tuple[int, ...], ...]
    weight: float
    """The sum of the weights of the largest set."""
    threshold: float

    @property
    def all(self) -> tuple[int, ...]:
        """The components of all sets."""
        return tuple(component for chosen in self.sets for component in chosen)


class Strategy(Protocol):
    """A way to choose components."""

    def choose(self, groups: Groups, weights: Floats, room: int) -> Choice | None:
        """What to take next of these components, of which ``room`` may go; None where nothing is left.

        A strategy remembers the steps it made: it is used for one reduction.
        """


class Smallest:
    """At most half of the components below their threshold, the smallest, ties all or none."""

    def __init__(self, thresholds: Floats, protected: NDArray[np.bool_], *, merging: bool) -> None:
        self._thresholds, self._merging = thresholds, merging
        self._protected = protected.astype(np.float64)

    def choose(self, groups: Groups, weights: Floats, room: int) -> Choice | None:
        bounds = groups.mean(self._thresholds)
        candidates = np.flatnonzero((weights < bounds) & (groups.gather(self._protected) == 0))
        ordered = candidates[np.argsort(weights[candidates], kind="stable")]
        most = room + 1 if self._merging else room
        fewest = 2 if self._merging else 1
        ends = _ends_of_ties(weights[ordered], _TIED * float(weights.max()))
        fitting = ends[ends <= min(len(ordered) // 2, most)]
        count = int(fitting[-1]) if len(fitting) else int(ends[0]) if len(ends) else 0
        if not fewest <= count <= most:
            return None
        chosen = ordered[:count]
        weight, bound = float(weights[chosen].sum()), float(bounds[chosen].max())
        return Choice((tuple(chosen.tolist()),), weight, bound)


def _ends_of_ties(ascending: Floats, tolerance: float) -> Indices:
    """Numbers of smallest weights that can be taken without parting equal ones."""
    if len(ascending) == 0:
        return np.zeros(0, dtype=np.int64)
    gaps = np.flatnonzero(np.diff(ascending) > tolerance) + 1
    return np.append(gaps, len(ascending))


class Window:
    """Runs of neighbours never merged before, half as long at every step."""

    def __init__(
        self,
        thresholds: Floats,
        protected: NDArray[np.bool_],
        stretches: tuple[int, ...],
        *,
        ring: bool,
        merging: bool,
    ) -> None:
        self._thresholds, self._protected, self._merging = thresholds, protected, merging
        starts = np.cumsum((0, *stretches))
        self._stretches = [range(a, b) for a, b in pairwise(starts.tolist())]
        self._ring, self._step = ring, 0

    def choose(self, groups: Groups, weights: Floats, room: int) -> Choice | None:
        longest = max(map(len, self._stretches))
        while -(-longest // 2 ** (self._step + 1)) > 1:
            self._step += 1
            found = [
                run for inputs in self._stretches if (run := self._run(groups, weights, inputs))
            ]
            gone = sum(len(run) - self._merging for run, _, _ in found)
            if found and gone <= room:
                _, weight, bound = max(found, key=lambda run: run[1])
                return Choice(tuple(run for run, _, _ in found), weight, bound)
        return None

    def _run(
        self, groups: Groups, weights: Floats, inputs: range
    ) -> tuple[tuple[int, ...], float, float] | None:
        """The lightest run of a stretch, its weight and threshold, if it is below that."""
        length = -(-len(inputs) // 2**self._step)
        if length < 2:
            return None
        places = np.array(inputs)
        if self._ring:
            places = np.append(places, places[: length - 1])
        labels = groups.labels[places]
        free = (labels >= 0) & ~self._protected[places]
        free[free] = groups.sizes[labels[free]] == 1
        shares = np.zeros(len(places))
        shares[free] = weights[labels[free]]
        whole = _sums(free.astype(np.float64), length) == length
        if not whole.any():
            return None
        sums = np.where(whole, _sums(shares, length), np.inf)
        first = int(np.argmin(sums))
        run = slice(first, first + length)
        bound = float(self._thresholds[places[run]].mean())
        if sums[first] >= bound:
            return None
        return tuple(labels[run].tolist()), float(sums[first]), bound


def _sums(values: Floats, length: int) -> Floats:
    """Of every run of ``length`` neighbours."""
    running = np.concatenate([[0.0], np.cumsum(values)])
    return running[length:] - running[:-length]


def noise_of_weights(observed: Observations) -> Floats:
    """sigma of every input's weight."""
    channel = observed.channel
    if observed.unbiased is not None:
        return np.broadcast_to(observed.unbiased.sigma, channel.inputs).copy()
    size = channel.inputs
    if observed.rows is not None:
        seen: Floats = np.diag(observed.rows.curvature(np.full(size, 1 / size))) ** -0.5
        return seen
    if observed.domain.ordered and size > _MOST_COLUMNS:
        some = np.unique(np.linspace(0, size - 1, _MOST_COLUMNS).astype(np.int64))
        return np.interp(np.arange(size), some, _bounds(channel, some, observed.n))
    return _bounds(channel, np.arange(size), observed.n)


def _bounds(channel: Channel, inputs: Indices, n: int) -> Floats:
    """``[n sum_y A_yj^2 / (A u)_y]^(-1/2)`` for some inputs j."""
    expected = channel.forward(np.full(channel.inputs, 1 / channel.inputs))
    reached, unit = expected > 0, np.zeros(channel.inputs)
    information = np.empty(len(inputs))
    for place, j in enumerate(inputs):
        unit[j] = 1.0
        column = channel.forward(unit)[reached]
        information[place] = float(np.sum(column**2 / expected[reached]))
        unit[j] = 0.0
    bound: Floats = 1 / np.sqrt(n * information)
    return bound

"""Padding and sampling: a set of pairs becomes one pair, or none, before it is randomized."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source, uniform_below_many
from sottovoce.domains.base import Indices
from sottovoce.domains.pair_sets import PairSets

__all__ = ["drawn_slots"]


def drawn_slots(held: PairSets, slots: int, source: Source) -> tuple[Indices, NDArray[np.bool_]]:
    """For every person one of ``slots`` slots: the row of a pair, and whether there is one in it.

    The set fills the first slots, the others are empty.  Of a set with more pairs than slots
    one pair is drawn.  One word a person.
    """
    sizes, drawn = held.sizes, np.empty(len(held.sizes), dtype=np.int64)
    bounds = np.maximum(sizes, slots)
    for bound in np.unique(bounds):
        people = bounds == bound
        drawn[people] = uniform_below_many(int(bound), int(people.sum()), source).view(np.int64)
    filled = drawn < sizes
    return held.starts + np.where(filled, drawn, 0), filled

"""Bringing many random sets to one size, by random tries.

A try is a random lane.  While a set has ``size`` members or more, a lane that is
tried leaves it if it was a member; below that, it joins if it was not.  A set is
settled once a lane has joined as member number ``size``.

The plain version states what is computed, all sets one try at a time; the
compiled one goes set by set.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels.loader import compiled

__all__ = ["Sets", "lane_bits", "settle", "settle_plain"]

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

_SMALL = 2**17
"""Bytes of sets below which loading the compiled kernel is not worth while..."""
_FEW = 300
"""... as long as there were only a few rounds: by then they have taken as long as loading it."""
_rounds = count()


@dataclass(frozen=True)
class Sets:
    """Sets of ``lanes`` lanes on their way to ``size`` members; the arrays change in place."""

    members: Words
    """A row a set: lane v is bit ``v % 64`` of word ``v // 64``."""
    counts: Ints
    """How many members each has."""
    latest: Ints
    """The lane of each that joined or left last."""
    size: int
    lanes: int


def lane_bits(lanes: int) -> int:
    """The bits of a word that one try takes: enough to name every lane, and at least one."""
    return max(1, (lanes - 1).bit_length())


def settle(sets: Sets, rows: Ints, words: Words) -> Ints:
    """Try the lanes that ``words[i]`` names on set ``rows[i]``; the rows that are not settled.

    A word names ``64 // lane_bits(lanes)`` lanes, from its low bits up.  Names
    that are no lane are passed over, and so is all that comes after settling.
    """
    many = sets.members.nbytes >= _SMALL or next(_rounds) >= _FEW
    kernels = compiled("subsets") if many else None
    if kernels is None:
        return settle_plain(sets, rows, words)
    state, live = (sets.members, sets.counts, sets.latest), np.empty(len(rows), dtype=np.bool_)
    kernels.settle_sets(state, rows, words, (sets.size, sets.lanes, lane_bits(sets.lanes)), live)
    return rows[live]


def settle_plain(sets: Sets, rows: Ints, words: Words) -> Ints:
    """The definition of :func:`settle`."""
    size, lanes, bits = sets.size, sets.lanes, lane_bits(sets.lanes)
    flat, first = sets.members.reshape(-1), rows * sets.members.shape[1]
    held, last = sets.counts[rows], sets.latest[rows]
    live = np.ones(len(rows), dtype=np.bool_)
    for word in words.T:
        for turn in range(64 // bits):
            lane = (word >> np.uint64(turn * bits)) & np.uint64(2**bits - 1)
            accepted = live & (lane < lanes)
            at = first + np.where(accepted, lane >> np.uint64(6), 0).astype(np.int64)
            bit, now = np.uint64(1) << (lane & np.uint64(63)), flat[at]
            joins = held < size
            accepted &= ((now & bit) != 0) != joins
            flat[at] = now ^ (bit * accepted)
            np.copyto(last, lane.view(np.int64), where=accepted)
            held += np.where(joins, 1, -1) * accepted
            live &= ~joins | (held < size)
    sets.counts[rows], sets.latest[rows] = held, last
    return rows[live]

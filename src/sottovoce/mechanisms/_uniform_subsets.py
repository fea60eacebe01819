"""Exactly uniform subsets of a given size, at a few random bits a lane.

1. Every lane is set independently with the same probability ``start / 16``.
   Lanes are exchangeable, so that a set drawn like this is uniform among all
   sets of its own size, whatever that size turns out to be.
2. Random lanes are tried.  As long as the set has ``size`` members or more, a
   member that is hit leaves; then lanes that are no members join, until there
   are ``size``.  A uniform lane among the members leaves a uniform set that is
   smaller by one, and a uniform lane among the others makes one larger by one.

So the last step is always a lane that joins: without it the set is a uniform
subset of ``size - 1`` lanes.  Which of the two is wanted need not be known
before, and the words drawn do not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source
from sottovoce.kernels.bits import popcount
from sottovoce.kernels.subsets import Sets, lane_bits, settle

__all__ = ["SIXTEENTHS", "UniformSubsets", "best_start"]

SIXTEENTHS = 16


@dataclass(frozen=True)
class UniformSubsets:
    """Subsets of ``size`` out of ``lanes`` lanes, with 1 <= size <= lanes.

    ``start`` is from 0 (begin with the empty set) to 15.  It decides how much
    is drawn and how often is tried, and has no part in the law.
    """

    lanes: int
    size: int
    start: int

    @property
    def width(self) -> int:
        """Words that hold a bit a lane."""
        return -(-self.lanes // 64)

    @property
    def digits(self) -> tuple[int, ...]:
        """The binary digits of ``start / 16``, least significant first: a random bit a lane each."""
        digits = [self.start >> place & 1 for place in range(SIXTEENTHS.bit_length() - 1)]
        while digits and not digits[0]:
            del digits[0]
        return tuple(digits)

    @property
    def words_a_round(self) -> int:
        """Words of tries drawn at a time, growing like the spread of a size: the root of the lanes."""
        return max(1, isqrt(self.width) // 2)

    @property
    def words_at_first(self) -> int:
        """Words that every set takes; further rounds are drawn for those not settled."""
        return len(self.digits) * self.width + self.words_a_round

    def one(self, source: Source) -> tuple[int, int]:
        """A set, as an integer whose bit v is lane v, and the lane that joined last."""
        members, bits = self._lanes_of_one(source), lane_bits(self.lanes)
        count = members.bit_count()
        while True:
            for word in source.words(self.words_a_round).tolist():
                for turn in range(64 // bits):
                    lane = word >> turn * bits & (1 << bits) - 1
                    joins = count < self.size
                    if lane < self.lanes and (members >> lane & 1) != joins:
                        members ^= 1 << lane
                        count += 1 if joins else -1
                        if joins and count == self.size:
                            return members, lane

    def _lanes_of_one(self, source: Source) -> int:
        drawn = source.words(len(self.digits) * self.width).tolist()
        members = 0
        for place, digit in enumerate(self.digits):
            words = drawn[place * self.width : (place + 1) * self.width]
            bits = sum(word << 64 * i for i, word in enumerate(words))
            members = members | bits if digit else members & bits
        return members & ((1 << self.lanes) - 1)

    def many(self, count: int, source: Source) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """``count`` draws of :meth:`one`: a row of words a set, and the lanes that joined last.

        The j-th call for words holds every set's j-th words, in order, for as
        long as it needs any.
        """
        members = self._lanes_of_many(count, source)
        counts = popcount(members).sum(axis=1, dtype=np.int64)
        sets = Sets(members, counts, np.zeros(count, dtype=np.int64), self.size, self.lanes)
        rows = np.arange(count)
        while len(rows):
            words = source.words(len(rows) * self.words_a_round).reshape(len(rows), -1)
            rows = settle(sets, rows, words)
        return members, sets.latest

    def _lanes_of_many(self, count: int, source: Source) -> NDArray[np.uint64]:
        shape = (count, len(self.digits), self.width)
        drawn = source.words(count * len(self.digits) * self.width).reshape(shape)
        members = np.zeros((count, self.width), dtype=np.uint64)
        for place, digit in enumerate(self.digits):
            (np.bitwise_or if digit else np.bitwise_and)(members, drawn[:, place], out=members)
        members[:, -1] &= np.uint64(2 ** (self.lanes - 64 * (self.width - 1)) - 1)
        return members


def best_start(lanes: int, size: int) -> int:
    """The start of least work, a word costing as much as two tries.

    From a probability t a set has about ``lanes t`` members, give or take 0.4 s
    in the mean on either side, s the standard deviation.  A lane joins after
    about ``lanes / (lanes - size)`` tries and leaves after ``lanes / size``.
    """

    def work(start: int) -> Fraction:
        t = Fraction(start, SIXTEENTHS)
        gap = size - lanes * t
        spread = Fraction(2 * isqrt(lanes * start * (SIXTEENTHS - start)), 5 * SIXTEENTHS)
        short, over = max(gap, Fraction(0)) + spread, max(-gap, Fraction(0)) + spread
        drawn = len(UniformSubsets(lanes, size, start).digits) * -(-lanes // 64)
        return 2 * drawn + short * lanes / max(1, lanes - size) + over * lanes / size

    return min(range(SIXTEENTHS), key=lambda start: (work(start), start))

"""Subsets of one size, with one value in or out as wanted and all others uniform."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source
from sottovoce.domains.base import Indices
from sottovoce.mechanisms._uniform_subsets import UniformSubsets, best_start

__all__ = ["SubsetsWithOwn", "cheapest_start"]


def cheapest_start(values: int, size: int) -> int:
    """The start of least work for sets of ``size`` out of ``values``."""
    return best_start(values - 1, min(size, values - size))


@dataclass(frozen=True)
class SubsetsWithOwn:
    """Sets of ``size`` out of ``values``, 1 <= size < values, in which one's own value is, or is not.

    Stand-ins for the other values are drawn by
    :class:`~sottovoce.mechanisms._uniform_subsets.UniformSubsets`, always as many as a set without
    one's own value needs; one's own value then takes the place of the last, or not.  The words
    drawn depend neither on the value nor on that.
    """

    values: int
    size: int
    start: int

    @property
    def width(self) -> int:
        """Bytes of a set, a bit for every value."""
        return -(-self.values // 8)

    @property
    def _left_out(self) -> bool:
        """Whether those left out are drawn, as they are fewer."""
        return 2 * self.size > self.values

    @cached_property
    def stand_ins(self) -> UniformSubsets:
        """Sets of the other values.  Stand-in v is value v, and one's own is stood for by the last."""
        drawn = min(self.size, self.values - self.size)
        return UniformSubsets(self.values - 1, drawn, self.start)

    def one(self, own: int, inside: bool, source: Source) -> bytes:
        """A set with the value ``own`` if it shall be ``inside``, else without it."""
        drawn = inside != self._left_out
        members, latest = self.stand_ins.one(source)
        members ^= drawn << latest  # one's own value takes the place of the last, or not
        standing = members >> own & 1
        members ^= standing << own
        members |= standing << self.values - 1 | drawn << own
        members ^= self._left_out * (2**self.values - 1)
        return members.to_bytes(self.width, "little")

    def many(self, own: Indices, inside: NDArray[np.bool_], source: Source) -> NDArray[np.uint8]:
        """:meth:`one` for many, a row of bytes each."""
        drawn, last = inside ^ self._left_out, self.values - 1
        members, latest = self.stand_ins.many(len(own), source)
        if last // 64 == members.shape[1]:  # the last value begins a word
            members = np.pad(members, ((0, 0), (0, 1)))
        rows, bit = np.arange(len(own)), np.uint64(1)
        members[rows, latest >> 6] ^= drawn.astype(np.uint64) << _place(latest)
        at, place = own >> 6, _place(own)
        standing = members[rows, at] >> place & bit
        members[rows, at] ^= (standing ^ drawn) << place
        members[:, last // 64] |= standing << _place(last)
        packed: NDArray[np.uint8] = members.astype("<u8", copy=False).view(np.uint8)
        packed = packed[:, : self.width]
        if self._left_out:
            packed = ~packed
            packed[:, -1] &= np.uint8(2 ** (self.values - 8 * (self.width - 1)) - 1)
        return packed


def _place(lane: Any) -> Any:
    """The bit of a lane within its word."""
    return np.asarray(lane & 63).astype(np.uint64)

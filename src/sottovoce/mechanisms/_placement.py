"""Where values lie among points: a permutation that is evaluated at one value.

Values are spread over the points ``0 .. g^t - 1`` by an alternating Feistel network, whose round
functions are tables of public words.  A point is ``left * a + right`` with ``a = g^(t div 2)``
values of ``right`` and ``b = g^(t - t div 2)`` of ``left``.  Of the eight rounds i = 0 .. 7

    even:  right = (right + F_i[left])  mod a        F_i: b numbers below a
    odd:   left  = (left  + F_i[right]) mod b        F_i: a numbers below b

F_i is row i of the public words of use ``places``.  Every round can be undone, so the map is one
to one.  A device makes eight blocks of words for its value; nothing depends on how many values
there are, and the work is the same for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.mechanisms._public_words import public_index, public_indices

__all__ = ["Placement"]

_ROUNDS = 8
_USE = "places"


@dataclass(frozen=True)
class Placement:
    """A public permutation of the integers below ``g^t``, chosen by ``key``."""

    g: int
    t: int
    key: str

    @property
    def _halves(self) -> tuple[int, int]:
        """a and b: how many values ``right`` has, and ``left``."""
        return self.g ** (self.t // 2), self.g ** (self.t - self.t // 2)

    def at(self, value: int) -> int:
        """The point of one value, in plain integers."""
        a, b = self._halves
        left, right = divmod(value, a)
        for i in range(0, _ROUNDS, 2):
            right = (right + public_index(a, _USE, self.key, i, left)) % a
            left = (left + public_index(b, _USE, self.key, i + 1, right)) % b
        return left * a + right

    @cached_property
    def _tables(self) -> list[NDArray[np.int64]]:
        a, b = self._halves
        sizes = [(a, b), (b, a)] * (_ROUNDS // 2)
        return [public_indices(s, _USE, self.key, i, n) for i, (s, n) in enumerate(sizes)]

    def first(self, count: int) -> NDArray[np.int64]:
        """The points of the values ``0 .. count - 1``."""
        a, b = self._halves
        left, right = np.divmod(np.arange(count), a)
        for even, odd in zip(self._tables[::2], self._tables[1::2], strict=True):
            right = (right + even[left]) % a
            left = (left + odd[right]) % b
        return left * a + right

"""Hash functions ``v -> <a, x_v> mod g``: vectors over a prime field, and their transform.

Values are points ``x_v`` of F_g^t.  Hashes are the K = (g^t - 1)/(g - 1)
*canonical* vectors a, whose most significant non-zero digit is 1: ``(a, y)``
and ``(s a, s y)`` are the same event, and a = 0 tells nothing.  A vector is
written as the integer whose base-g digits are its coordinates.

Two sums serve everything else, each by one Fourier transform over F_g^t:

* :meth:`LinearFamily.gather`: W[a, y] = sum of w_v over values with <a, x_v> = y;
* :meth:`LinearFamily.scatter`: c_v = sum over a of T[a, <a, x_v>].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.mechanisms._placement import Placement

__all__ = ["LinearFamily", "next_prime", "previous_prime"]

Ints = NDArray[np.int64]

_LOOKUP = 2**22
"""Entries of the table of all hashes of all values up to which it is kept."""


@dataclass(frozen=True)
class LinearFamily:
    """The family for ``size`` values, over F_g^t, with points placed by ``key``.

    Points are placed pseudo-randomly (:mod:`~sottovoce.mechanisms._placement`): values on one
    line are supported together, and consecutive integers lie on lines.
    """

    size: int
    g: int
    t: int
    key: str

    @property
    def points(self) -> int:
        """g^t."""
        return int(self.g**self.t)

    @property
    def hashes(self) -> int:
        """K, the number of canonical vectors."""
        return (self.points - 1) // (self.g - 1)

    @cached_property
    def places(self) -> Ints:
        """The point of each value: distinct, scattered, the same on every machine."""
        return self._placement.first(self.size)

    @cached_property
    def _placement(self) -> Placement:
        return Placement(self.g, self.t, self.key)

    def cell(self, hash_: int, value: int) -> int:
        """The hash of one value under hash number ``hash_``, in plain integers, as a device makes it."""
        return self.inner(self.vector(hash_), self._placement.at(value))

    def vector(self, index: int) -> int:
        """Canonical vector number ``index``, as an integer: g^j + r for the j-th digit leading."""
        power, first = 1, 0
        while index >= first + power:
            first += power
            power *= self.g
        return power + index - first

    @cached_property
    def vectors(self) -> Ints:
        """All canonical vectors, in order of index."""
        powers = self.g ** np.arange(self.t)
        return np.concatenate([np.arange(power, 2 * power) for power in powers.tolist()])

    def inner(self, a: int, x: int) -> int:
        """``<a, x> mod g`` of two vectors, in plain integers, t steps whatever they are."""
        total = 0
        for _ in range(self.t):
            a, da = divmod(a, self.g)
            x, dx = divmod(x, self.g)
            total += da * dx
        return total % self.g

    def inner_many(self, a: Ints, x: Ints) -> Ints:
        """:meth:`inner` for arrays."""
        total = np.zeros(np.broadcast(a, x).shape, dtype=np.int64)
        for _ in range(self.t):
            next_a, next_x = a // self.g, x // self.g
            total += (a - next_a * self.g) * (x - next_x * self.g)
            a, x = next_a, next_x
        return total % self.g

    @cached_property
    def _lookup(self) -> NDArray[np.uint32] | None:
        """``<a, x_v>`` for all hashes and values, where that table is small."""
        if self.hashes * self.size > _LOOKUP:
            return None
        table = self.inner_many(self.vectors[:, None], self.places[None, :])
        return table.astype(np.min_scalar_type(self.g - 1))

    def hash_many(self, hashes: Ints, values: Ints) -> Ints:
        """The hash of ``values[i]`` under hash number ``hashes[i]``."""
        if self._lookup is not None:
            return self._lookup.ravel()[hashes * self.size + values].astype(np.int64)
        return self.inner_many(self.vectors[hashes], self.places[values])

    @cached_property
    def _multiples(self) -> Ints:
        """The integer of ``s a`` at [a, s - 1], for s = 1 .. g - 1: all points but 0, once each."""
        found = np.zeros((self.hashes, self.g - 1), dtype=np.int64)
        rest, power = self.vectors, 1
        for _ in range(self.t):
            rest, digit = rest // self.g, rest % self.g
            found += power * (digit[:, None] * np.arange(1, self.g) % self.g)
            power *= self.g
        return found

    def _transform(self, array: NDArray[np.complex128]) -> NDArray[np.complex128]:
        shape = (self.g,) * self.t
        return np.fft.fftn(array.reshape(shape)).ravel()

    def gather(self, weights: Floats) -> Floats:
        """W[a, y], as a flat array of K g numbers.

        The transform of w at ``s a`` is ``sum_y W[a, y] omega^(-s y)``: a
        one-dimensional inverse transform over s gives W[a, .].
        """
        placed = np.zeros(self.points, dtype=np.complex128)
        placed[self.places] = weights
        spectrum = self._transform(placed)
        lines = np.empty((self.hashes, self.g), dtype=np.complex128)
        lines[:, 0] = spectrum[0]
        lines[:, 1:] = spectrum[self._multiples]
        return np.fft.ifft(lines, axis=1).real.ravel()

    def scatter(self, table: Floats) -> Floats:
        """c_v = sum over a of T[a, <a, x_v>], from the flat table of K g numbers.

        With ``M[a, s] = sum_y T[a, y] omega^(-s y)`` put at the point ``s a``, and
        0 at the point 0, ``c_v = (sum T + sum_b M(b) omega^<b, x_v>) / g``.
        """
        return (table.sum() + self._sums(table)[self.places]) / self.g

    def leftover(self, table: Floats) -> Floats:
        """The same at the points that no value has, less their mean.

        They are like values that nobody holds: what a tally says of them is noise, of mean 0 whatever
        the shares are.
        """
        unused = np.delete(self._sums(table), self.places)
        return (unused - unused.mean()) / self.g

    def _sums(self, table: Floats) -> Floats:
        """``sum_b M(b) omega^<b, x>`` at every point x."""
        rows = np.fft.fft(table.reshape(self.hashes, self.g), axis=1)
        spectrum = np.zeros(self.points, dtype=np.complex128)
        spectrum[self._multiples] = rows[:, 1:]
        sums: Floats = np.conj(self._transform(np.conj(spectrum))).real
        return sums


def _is_prime(number: int) -> bool:
    if number < 4:
        return number > 1
    return number % 2 == 1 and all(number % k for k in range(3, int(number**0.5) + 1, 2))


def next_prime(number: int) -> int:
    """The least prime at or above ``number``."""
    number = max(2, number)
    while not _is_prime(number):
        number += 1
    return number


def previous_prime(number: int) -> int | None:
    """The greatest prime at or below ``number``, if there is one."""
    while number >= 2 and not _is_prime(number):
        number -= 1
    return number if number >= 2 else None

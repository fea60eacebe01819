"""Where random words come from.

A device draws from the operating system, always.  :class:`Seeded` makes
simulations repeatable and must never meet a real answer: what can be predicted
protects nobody.
"""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int
from sottovoce.base.errors import EntropyError

__all__ = ["OperatingSystem", "Queue", "Seeded", "Source", "uniform_below", "uniform_below_many"]

Words = NDArray[np.uint64]


class Source(Protocol):
    """A stream of independent uniform 64-bit words."""

    secure: bool

    def words(self, count: int) -> Words:
        """The next ``count`` words."""

    def generator(self) -> np.random.Generator:
        """A numpy generator for simulating whole tallies; never used on the device path."""


class OperatingSystem:
    """Random words from the operating system, drawn anew at every call.

    Nothing is kept between calls, so a forked process repeats no word. A failing or short read
    raises :class:`EntropyError`: no word, no report.

    Examples
    --------
    >>> len(OperatingSystem().words(3))
    3
    """

    secure = True

    def words(self, count: int) -> Words:
        try:
            drawn = os.urandom(8 * count)
        except (OSError, NotImplementedError) as error:
            raise EntropyError(f"the operating system gave no randomness: {error}") from error
        if len(drawn) != 8 * count:
            raise EntropyError(
                f"asked the operating system for {8 * count} bytes, got {len(drawn)}"
            )
        return np.frombuffer(drawn, dtype="<u8")

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([int(word) for word in self.words(4)])

    def __repr__(self) -> str:
        return "OperatingSystem()"


class Seeded:
    """Repeatable words, for simulation and tests.

    Reports drawn with them are marked ``simulated``, also in files: clients, uploads and stores
    refuse them.

    Parameters
    ----------
    seed : int
        The same seed gives the same words.

    Examples
    --------
    >>> Seeded(7).words(2).tolist() == Seeded(7).words(2).tolist()
    True
    """

    secure = False

    def __init__(self, seed: int) -> None:
        self.seed = check_int(seed, "seed", "Seeded", 0)
        self._generator = np.random.Generator(np.random.PCG64(self.seed))

    def words(self, count: int) -> Words:
        return self._generator.integers(0, 2**64, size=count, dtype=np.uint64)

    def generator(self) -> np.random.Generator:
        return self._generator

    def __repr__(self) -> str:
        return f"Seeded({self.seed})"


class Queue:
    """A source that gives words drawn at once one after the other, then those of another source."""

    def __init__(self, words: Words, source: Source) -> None:
        self._words, self._source, self.secure = words, source, source.secure

    def words(self, count: int) -> Words:
        drawn, self._words = self._words[:count], self._words[count:]
        missing = count - len(drawn)
        return np.concatenate([drawn, self._source.words(missing)]) if missing else drawn

    def generator(self) -> np.random.Generator:
        return self._source.generator()


def uniform_below(bound: int, source: Source) -> int:
    """An exactly uniform integer in ``[0, bound)``, in plain integers.

    A power of two takes the top bits of one word.  Any other bound takes a word
    modulo ``bound`` and draws again above the largest multiple of it, which
    happens with probability below ``bound / 2^64``.
    """
    word = int(source.words(1)[0])
    if bound & (bound - 1) == 0:
        return word >> (64 - (bound.bit_length() - 1))
    limit = 2**64 - 2**64 % bound
    while word >= limit:
        word = int(source.words(1)[0])
    return word % bound


def uniform_below_many(bound: int, count: int, source: Source) -> Words:
    """``count`` draws of :func:`uniform_below`; the same words give the same integers."""
    words = source.words(count)
    if bound & (bound - 1) == 0:
        bits = bound.bit_length() - 1
        return words >> np.uint64(64 - bits) if bits else np.zeros(count, dtype=np.uint64)
    last_accepted = np.uint64(2**64 - 2**64 % bound - 1)
    if np.any(rejected := words > last_accepted):
        words = words.copy()
        while rejected.any():
            words[rejected] = source.words(int(rejected.sum()))
            rejected = words > last_accepted
    # Division by a scalar is vectorised in numpy, the remainder is not.
    return words - (words // np.uint64(bound)) * np.uint64(bound)

"""The same people in every window, with devices that remember: tallies drawn by their exact law.

Who holds which value and which memo is followed person by person, since a memo comes back with its value.
A report depends on the memo alone, so that a window's tally is drawn from the number of people with each
memo: of C people with a memo, Bin(C, a) send it, and the rest any output alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv

__all__ = ["Panel"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Panel:
    """People with values of a law, of whom a part draws a new one before every window but the first.

    ``m`` is a memoized mechanism over randomized response, local hashing, or the square wave on bins.
    """

    def __init__(
        self, m: sv.Memoized, people: int, law: Floats, change: float, random: np.random.Generator
    ) -> None:
        self._m, self._law, self._change, self._random = m, law, change, random
        self._cumulative = np.cumsum(m.rounds.permanent.channel().dense(), axis=0)
        keep, other = m.weights[1]
        self._keep, self._family = keep / (keep + self._outputs * other), m.family
        self._hashes = random.integers(0, m.kept_hashes, people) if m.kept_hashes else None
        self.values = random.choice(len(law), people, p=law).astype(np.int16)
        self._memos = np.full((people, self._entries), -1, dtype=np.int16)
        self._current = np.empty(people, dtype=np.int64)
        self._recall(np.arange(people))

    @property
    def _outputs(self) -> int:
        inner = self._m.inner
        return int(inner.g if self._m.family is not None else inner.cells)

    @property
    def _entries(self) -> int:
        return self._outputs if self._m.family is not None else len(self._law)

    def _recall(self, who: Ints) -> None:
        """The memos that speak for these people now, drawn where they never were."""
        entries = self.values[who].astype(np.int64)
        if self._hashes is not None:
            entries = self._m.rounds.entries(self._m.inner, self._hashes[who], entries)
        memos = self._memos[who, entries]
        new = np.flatnonzero(memos < 0)
        if len(new):
            memos[new] = self._drawn(entries[new])
            self._memos[who[new], entries[new]] = memos[new]
        own = 0 if self._hashes is None else self._hashes[who] * self._outputs
        self._current[who] = own + memos

    def _drawn(self, entries: Ints) -> Ints:
        """Round 1: of hashes by the weights of a cell, else by the channel's column."""
        u = self._random.random(len(entries))
        if self._hashes is None:
            found = np.empty(len(entries), dtype=np.int64)
            for entry in np.unique(entries):
                at = entries == entry
                found[at] = np.searchsorted(self._cumulative[:-1, entry], u[at], side="right")
            return found
        keep, other = self._m.rounds.permanent.weights
        g = self._outputs
        part = keep / (keep + g * other)
        return np.where(u < part, entries, self._random.integers(0, g, len(entries)))

    def windows(self, count: int) -> Iterator[tuple[Ints, NDArray[np.int64]]]:
        """The values of all people and the cells of their reports, window by window."""
        for window in range(count):
            if window:
                moves = np.flatnonzero(self._random.random(len(self.values)) < self._change)
                drawn = self._random.choice(len(self._law), len(moves), p=self._law)
                self.values[moves] = drawn
                self._recall(moves)
            memos = np.bincount(self._current, minlength=self._m.cells).reshape(-1, self._outputs)
            sent = self._random.binomial(memos, self._keep)
            rest = (memos - sent).sum(axis=1)
            alike = np.full(self._outputs, 1 / self._outputs)
            cells = sent + self._random.multinomial(rest, alike)
            yield self.values.copy(), cells.ravel()

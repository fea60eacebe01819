"""Random words for vectors: repeatable, with some of them chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from sottovoce.base.randomness import Words
from sottovoce.core.reports import Reports

__all__ = ["Stream", "as_if_drawn", "word_for", "words_around"]


def as_if_drawn(reports: Reports) -> Reports:
    """Reports of repeatable words without their mark, as if devices had drawn them.

    For vectors and tests only: uploads and stores refuse reports that are marked as simulated.
    """
    return Reports(reports.mechanism, reports.columns, certified=reports.certified)


class Stream:
    """Words from SHAKE-256 of a label, those of ``chosen`` excepted; remembers what was drawn."""

    secure = False

    def __init__(self, label: str, chosen: Mapping[int, int] | None = None) -> None:
        self._label, self._chosen = label, dict(chosen or {})
        self._words = self._first(1 << 13)
        self.count = 0

    def _first(self, count: int) -> Words:
        """The first ``count`` words."""
        data = hashlib.shake_256(self._label.encode()).digest(8 * count)
        words = np.frombuffer(data, dtype="<u8").astype(np.uint64)
        for place, word in self._chosen.items():
            words[place] = word
        return words

    @property
    def drawn(self) -> bytes:
        """The words drawn so far, as vectors have them."""
        return self._words[: self.count].astype("<u8").tobytes()

    def words(self, count: int) -> Words:
        """The next ``count`` words."""
        start, self.count = self.count, self.count + count
        if self.count > len(self._words):
            self._words = self._first(4 * self.count)
        return self._words[start : self.count]

    def generator(self) -> Any:
        """A device never asks for one."""
        raise AssertionError("a device never asks for a generator")


def word_for(x: int, total: int) -> int:
    """A word from which a uniform number below ``total`` comes out as x."""
    if total & (total - 1):
        return x
    return x << (65 - total.bit_length()) if total > 1 else 0


def words_around(bounds: list[int], total: int) -> list[int]:
    """Words at bounds of a draw below ``total``, and just below them."""
    places = sorted({x for bound in bounds for x in (bound - 1, bound) if 0 <= x < total})
    return [word_for(x, total) for x in places]

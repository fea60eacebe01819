"""Sources of random words for tests: prepared words, and words that are remembered."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.base.randomness import Source, Words

__all__ = ["Recording", "Scripted"]


class Scripted:
    """Gives prepared words, one array per call, and notices a call of another size."""

    secure = False

    def __init__(self, *calls: Any) -> None:
        self.calls = [np.asarray(call, dtype=np.uint64).ravel() for call in calls]

    def words(self, count: int) -> Words:
        """The words of the next call."""
        assert self.calls, f"asked for {count} words, none are left"
        call = self.calls.pop(0)
        assert len(call) == count, f"asked for {count} words, {len(call)} were prepared"
        return call

    def generator(self) -> Any:
        """Refused: a device never asks for a generator."""
        raise AssertionError("a device never asks for a generator")


class Recording:
    """Passes on the words of another source, and remembers every call."""

    secure = False

    def __init__(self, source: Source) -> None:
        self.source = source
        self.calls: list[Words] = []

    def words(self, count: int) -> Words:
        """The next words of the other source."""
        self.calls.append(self.source.words(count))
        return self.calls[-1]

    def generator(self) -> Any:
        """The generator of the other source."""
        return self.source.generator()

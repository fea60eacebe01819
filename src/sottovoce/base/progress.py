"""Progress of long work: one signature for everything that reports it.

``progress(text, part)`` is called with what is being done and the part that is done, from 0 to 1,
which never falls for one text.  How many calls there are, and when, is up to the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Counted", "Meter", "Progress", "silent"]

Progress = Callable[[str, float], object]
"""Called with what is being done, and the part of it that is done, from 0 to 1."""

_EVERY = 0.1
"""Seconds between two calls of a :class:`Meter`."""


def silent(text: str, part: float) -> None:
    """Progress that is not shown."""


@dataclass
class Counted:
    """Progress of work whose size is known, counted in reports, rows or bytes.

    Without a ``total`` the part that is done stays 0.
    """

    progress: Progress
    text: str
    total: int | None
    done: int = 0

    def add(self, count: int) -> None:
        """Report that ``count`` more are done."""
        self.done += count
        part = self.done / self.total if self.total else 0.0
        self.progress(self.text, min(part, 1.0))


@dataclass
class Meter:
    """Progress of an iteration of at most ``most`` steps: a few times per second, and at its end.

    The text names the work, the ``unit`` of its steps and the ``quantity`` by which it ends:
    ``em: 120 passes, gain 0.0021``.
    """

    progress: Progress | None
    name: str
    unit: str
    quantity: str
    most: int
    _part: float = 0.0
    _next: float = field(default_factory=lambda: time.monotonic() + _EVERY)

    def show(self, steps: int, value: float) -> None:
        """Report a step, if it is time."""
        self._part = max(self._part, min(1.0, steps / self.most))
        if self.progress is not None and time.monotonic() >= self._next:
            self.progress(self._text(steps, value), self._part)
            self._next = time.monotonic() + _EVERY

    def end(self, steps: int, value: float) -> None:
        """Report the last step."""
        if self.progress is not None:
            self.progress(self._text(steps, value), 1.0)

    def _text(self, steps: int, value: float) -> str:
        return f"{self.name}: {steps} {self.unit}, {self.quantity} {value:.6g}"

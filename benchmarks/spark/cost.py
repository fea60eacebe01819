"""Processor time of a piece of work: of this process and of all it has started."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

__all__ = ["Cost", "Wrong", "cost_of"]

Found = TypeVar("Found")
_TICK = os.sysconf("SC_CLK_TCK")


class Wrong(Exception):
    """A result is not the library's: its time is worth nothing."""


@dataclass(frozen=True)
class Cost:
    """Seconds of the processor, over all processes, and of the clock."""

    processor: float
    clock: float


def cost_of(work: Callable[[], Found]) -> tuple[Found, Cost]:
    """What some work gives, and what it costs."""
    processor, clock = _processor_time(), time.perf_counter()
    found = work()
    spent = max(_processor_time() - processor, 1 / _TICK)
    return found, Cost(spent, time.perf_counter() - clock)


def _processor_time() -> float:
    """Of this process and those below it: what they used, and what their ended children did."""
    parents: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for process, parent, seconds in _processes():
        parents.setdefault(parent, []).append(process)
        used[process] = seconds
    total, waiting = 0.0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += used.get(process, 0.0)
        waiting += parents.get(process, [])
    return total


def _processes() -> Iterator[tuple[int, int, float]]:
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        yield int(place.name), int(words[1]), sum(map(int, words[11:15])) / _TICK

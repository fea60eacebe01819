"""Time, taken the same way for everyone, and progress told meanwhile."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["ROUNDS", "Progress", "Timing", "repeated", "sliced"]

Result = TypeVar("Result")
Item = TypeVar("Item")

ROUNDS = 3
"""Timed calls, of which ours count the best and a peer's slices their median."""

_WARM_UP = 20
"""Reports of the untimed call that lets a peer compile and import what it needs."""


class Progress:
    """Lines with the seconds since the start, so that a long run is seen to go on."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._start, self._quiet = time.perf_counter(), quiet

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self._start

    def say(self, text: str) -> None:
        """Print one line at once."""
        if not self._quiet:
            print(f"{self.seconds:6.1f} s  {text}", flush=True)


@dataclass(frozen=True)
class Timing:
    """Seconds of calls that each handled ``reports`` reports."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...]
    """Of the processor, all threads together: waiting for a busy machine is not in it."""
    reports: int
    warm_up: float
    """Seconds of the call before, which may import, compile and fill tables."""

    @property
    def best(self) -> float:
        """Seconds a report in the fastest call."""
        return min(self.seconds) / self.reports

    @property
    def best_processor(self) -> float:
        """Seconds of the processor for a report, in the call that took least of them."""
        return min(self.processor) / self.reports

    @property
    def worst(self) -> float:
        """Seconds a report in the slowest call."""
        return max(self.seconds) / self.reports

    @property
    def median(self) -> float:
        """Seconds a report in the middle call."""
        return statistics.median(self.seconds) / self.reports

    def document(self) -> dict[str, Any]:
        """Everything measured, for the JSON file."""
        return {
            "seconds": list(self.seconds),
            "processor_seconds": list(self.processor),
            "reports": self.reports,
            "warm_up_seconds": self.warm_up,
        }


def _timed(work: Callable[[], Result]) -> tuple[float, float, Result]:
    start, processor = time.perf_counter(), time.process_time()
    result = work()
    return time.perf_counter() - start, time.process_time() - processor, result


def repeated(
    work: Callable[[], Result], reports: int, digest: Callable[[Result], Item]
) -> tuple[Timing, list[Item]]:
    """Call ``work`` once to warm up, then ``ROUNDS`` times.

    Also what ``digest`` makes of every result, untimed, so that all can be
    checked and none need be kept.
    """
    seconds, processor, digests = [], [], []
    for _ in range(1 + ROUNDS):
        elapsed, used, result = _timed(work)
        seconds.append(elapsed)
        processor.append(used)
        digests.append(digest(result))
    return Timing(tuple(seconds[1:]), tuple(processor[1:]), reports, seconds[0]), digests


def sliced(
    work: Callable[[list[Item]], Result], slices: Sequence[list[Item]]
) -> tuple[Timing, list[Result]]:
    """Call ``work`` on each slice, after a warm-up on a few items; also its results."""
    lengths = {len(part) for part in slices}
    if len(lengths) != 1:
        raise ValueError(f"slices must be of one length, not of {sorted(lengths)}")
    warm_up, _, _ = _timed(lambda: work(slices[0][:_WARM_UP]))
    timed = [_timed(lambda part=part: work(part)) for part in slices]  # type: ignore[misc]
    seconds = tuple(elapsed for elapsed, _, _ in timed)
    processor = tuple(used for _, used, _ in timed)
    return Timing(seconds, processor, lengths.pop(), warm_up), [result for _, _, result in timed]

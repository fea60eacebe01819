"""Limits on what is taken at once: rates, and bytes under way.

Everything here is in memory only, addresses above all: they are forgotten as soon as they
would be allowed a full burst again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["Addresses", "Bucket"]

_MOST_ADDRESSES = 100_000


class Bucket:
    """Takes ``rate`` a second, and a second's worth at once; a rate of 0 takes all.

    >>> now = [0.0]
    >>> bucket = Bucket(2, clock=lambda: now[0])
    >>> [bucket.wait() for _ in range(3)]
    [0.0, 0.0, 0.5]
    >>> now[0] = 0.5
    >>> bucket.wait()
    0.0
    """

    __slots__ = ("_clock", "_full", "_rate", "_spare", "_stamp")

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._full = max(1.0, rate)
        self._spare, self._stamp = self._full, clock()

    def wait(self) -> float:
        """Take one and return 0; where there is none, the seconds until there will be."""
        if not self._rate:
            return 0.0
        now = self._clock()
        self._spare = min(self._full, self._spare + (now - self._stamp) * self._rate)
        self._stamp = now
        if self._spare >= 1.0:
            self._spare -= 1.0
            return 0.0
        return (1.0 - self._spare) / self._rate


class Addresses:
    """A bucket for every address that came lately."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._kept = max(1.0, 1.0 / rate) if rate else 0.0
        self._buckets: OrderedDict[str, tuple[float, Bucket]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, address: str) -> float:
        """As :meth:`Bucket.wait`, for one address."""
        if not self._rate:
            return 0.0
        now = self._clock()
        self._forget(now)
        _, bucket = self._buckets.pop(address, (now, None))
        if bucket is None:
            bucket = Bucket(self._rate, self._clock)
        self._buckets[address] = now, bucket
        return bucket.wait()

    def _forget(self, now: float) -> None:
        """Drop addresses whose bucket is full again, and the oldest where there are too many."""
        while self._buckets:
            came, _ = next(iter(self._buckets.values()))
            if now - came <= self._kept and len(self._buckets) < _MOST_ADDRESSES:
                return
            self._buckets.popitem(last=False)

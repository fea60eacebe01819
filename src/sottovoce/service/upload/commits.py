"""Between the event loop and the thread that writes: what is handed over, and how it comes back.

The writer commits many uploads at once and then delivers all their receipts in one call, which
wakes the event loop once.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sottovoce.service.refusals import RETRY_SECONDS, Declined
from sottovoce.store import Receipt, Refusals, Store, Submission, Writer

__all__ = ["Commits"]

T = TypeVar("T")
Waiting = asyncio.Future[Receipt]


class Commits:
    """Hands submissions to the writer; whoever handed one over waits for its commit."""

    def __init__(self, store: Store, queue: int, gather: float = 0.0) -> None:
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(store, self._deliver, most_waiting=queue, gather=gather)
        self._stopped = False
        self.waiting = 0
        self._failed = -math.inf

    @property
    def failing(self) -> bool:
        """Whether a commit failed a moment ago."""
        return self._loop.time() - self._failed < RETRY_SECONDS

    async def submit(self, submission: Submission) -> Receipt:
        """The receipt of a submission, once it is on the disk."""
        return await self._handed(lambda key: self._writer.submit(key, submission))

    async def refuse(self, refusals: Refusals) -> None:
        """Returns when the refusal is counted on the disk."""
        await self._handed(lambda key: self._writer.refuse(key, refusals))

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """What a function returns that is run by the thread that writes."""
        if self._stopped:
            raise Declined("stopping")
        return await asyncio.wrap_future(self._writer.call(function, *arguments))

    async def stop(self) -> None:
        """Write what waits, then no more."""
        self._stopped = True
        await asyncio.to_thread(self._writer.stop)

    async def _handed(self, hand_over: Callable[[Waiting], bool]) -> Receipt:
        if self._stopped:
            raise Declined("stopping")
        key: Waiting = self._loop.create_future()
        if not hand_over(key):
            raise Declined("rate-limited", "too many uploads wait to be written", retry=1)
        self.waiting += 1
        try:
            return await key
        finally:
            self.waiting -= 1

    def _deliver(self, results: Sequence[tuple[Any, Receipt | Exception]]) -> None:
        """Called by the writer, in its thread, once a commit."""
        self._loop.call_soon_threadsafe(self._settle, results)

    def _settle(self, results: Sequence[tuple[Waiting, Receipt | Exception]]) -> None:
        for key, outcome in results:
            if isinstance(outcome, Exception):
                self._failed = self._loop.time()
            if key.done():
                continue  # whoever waited is gone; the commit stands
            if isinstance(outcome, Exception):
                key.set_exception(outcome)
            else:
                key.set_result(outcome)

"""What pages show is worked out beside them: nobody waits long for a page.

A page asks for a board by key and by the counts that went into it.  One that is there and
fresh is shown at once; else it is worked out in a thread, and the page shows the older one,
or says that it will come again.  Boards that take long are worked out again less often.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

from sottovoce.service.logs import log_failure
from sottovoce.service.refusals import RETRY_SECONDS, Declined, declined_by

__all__ = ["Prepared", "BackgroundCache"]

_PATIENCE = 0.1
"""Seconds that a page waits for a board before it is sent without."""
_LONG_PATIENCE = 8.0
"""The same where the page was sent without already, and asks again."""
_REST = 5.0
"""A board is not begun again before so many times its own seconds have passed."""


@dataclass(frozen=True)
class Prepared:
    """What is known so far: a board or why there is none, and whether another is on its way."""

    board: Any = None
    declined: Declined | None = None
    pending: bool = False


@dataclass
class _Entry:
    version: Hashable = None
    board: Any = None
    declined: Declined | None = None
    done: float = 0.0
    seconds: float = 0.0
    future: Future[None] | None = None

    @property
    def known(self) -> bool:
        return self.board is not None or self.declined is not None

    @property
    def under_way(self) -> bool:
        return self.future is not None and not self.future.done()


class BackgroundCache:
    """Boards by key, ``kept`` of them, the least recently asked for forgotten first.

    As many are worked out at a time as there are ``workers``.  Of those that wait for their turn
    there are ``waiting`` at most: whoever asks for one more is told to come back.  It belongs
    to the event loop: only the work itself is done in another thread.
    """

    def __init__(self, *, workers: int = 2, waiting: int = 32, kept: int = 64) -> None:
        self._workers, self._most_waiting, self._kept = workers, waiting, kept
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._stopped = False
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for _ in range(self._workers):  # a process that ends does not wait for them
            threading.Thread(target=self._work_on, name="boards", daemon=True).start()

    async def board(
        self, key: Hashable, version: Hashable, work: Callable[[], Any], *, patient: bool = False
    ) -> Prepared:
        """The board of a key, made of ``version``, as far as it is known within a moment.

        Who is patient waits longer, if nothing at all is known yet.
        """
        entry = self._entries.get(key) or _Entry()
        if not entry.under_way and self._is_due(entry, version):
            if self._waiting.qsize() < self._most_waiting:
                entry.future = Future()
                self._waiting.put(partial(_work, entry, entry.future, version, work))
            elif not entry.known:  # else the older one is shown, and begun again another time
                told = "too many results are being computed; retry in a moment"
                raise Declined("rate-limited", told, retry=RETRY_SECONDS)
        self._entries[key] = entry
        self._entries.move_to_end(key)
        self._forget()
        if entry.future is not None and entry.under_way:
            seconds = _LONG_PATIENCE if patient and not entry.known else _PATIENCE
            await asyncio.wait({asyncio.wrap_future(entry.future)}, timeout=seconds)
        return Prepared(entry.board, entry.declined, entry.under_way)

    @staticmethod
    def _is_due(entry: _Entry, version: Hashable) -> bool:
        if not entry.known:
            return True
        failed = entry.declined is not None and entry.declined.status >= 500
        rested = time.monotonic() - entry.done > _REST * entry.seconds
        return (entry.version != version or failed) and rested

    def _forget(self) -> None:
        for key in [key for key, entry in self._entries.items() if not entry.under_way]:
            if len(self._entries) <= self._kept:
                return
            del self._entries[key]

    def stop(self) -> None:
        """Begin nothing more; what is under way is not waited for."""
        self._stopped = True
        for _ in range(self._workers):
            self._waiting.put(lambda: None)

    def _work_on(self) -> None:
        while not self._stopped:
            self._waiting.get()()


def _work(entry: _Entry, future: Future[None], version: Hashable, work: Callable[[], Any]) -> None:
    start = time.monotonic()
    board, declined = None, None
    try:
        board = work()
    except Exception as error:
        declined = declined_by(error)
        if declined.status >= 500:
            log_failure(error)
    entry.board, entry.declined, entry.version = board, declined, version
    entry.done = time.monotonic()
    entry.seconds = entry.done - start
    future.set_result(None)

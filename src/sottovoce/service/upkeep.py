"""What a collector does by itself: folding reports into tallies, releases, retention, scrubbing."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sottovoce.service.desk import Desk
from sottovoce.service.logs import log_failure

__all__ = ["Upkeep"]

_PATIENCE = 3.0
"""Seconds to wait at the end for what is under way, which loses nothing when it is cut short."""


class Upkeep:
    """Rounds that go on until they are stopped; one that fails is tried again at the next."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._ended = desk, threading.Event()
        settings = desk.settings
        self._rounds = [
            threading.Thread(target=self._every, args=each, name="upkeep", daemon=True)
            for each in ((settings.fold_seconds, self._fold), (settings.expire_seconds, self._tidy))
        ]
        for thread in self._rounds:
            thread.start()

    def stop(self) -> None:
        """Begin no more rounds, and wait a little for those that are under way."""
        self._ended.set()
        for thread in self._rounds:
            thread.join(_PATIENCE)

    def _every(self, seconds: float, work: Callable[[], None]) -> None:
        while not self._ended.wait(seconds):
            try:
                work()
            except Exception as error:
                log_failure(error)

    def _fold(self) -> None:
        """A part at a time, so that it can end in between."""
        while not self._ended.is_set() and self._desk.store.fold():
            pass

    def _tidy(self) -> None:
        day = self._desk.today()
        self._desk.store.expire(day)
        self._desk.store.scrub(day)
        self._desk.store.release(None, self._desk.ended())

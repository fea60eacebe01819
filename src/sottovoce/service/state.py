"""What all routes of one collector share: its store, surveys, keys, limits and counters."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from sottovoce.service.analysis.answering import Analyst
from sottovoce.service.analysis.background import BackgroundCache
from sottovoce.service.analysis.worker import Apart
from sottovoce.service.auth.keys import Keys
from sottovoce.service.auth.sessions import Sessions
from sottovoce.service.limits import Addresses, Bucket
from sottovoce.service.logs import log_once
from sottovoce.service.metrics import Counters
from sottovoce.service.refusals import RETRY_SECONDS, Declined
from sottovoce.service.settings import Settings
from sottovoce.service.upload.commits import Commits
from sottovoce.service.upload.intake import Intake
from sottovoce.store import Published, Store
from sottovoce.surveys.publications import EMPTY

if TYPE_CHECKING:
    from sottovoce.service.api.health import Probe

__all__ = ["Clock", "CollectorState", "now"]

_MOST_ASKED = 32
"""Requests for numbers that may be under way."""

_LAST_COMMITS = timedelta(hours=1)
"""From the end of a window until its last reports are surely written."""

Clock = Callable[[], datetime]
T = TypeVar("T")


def now() -> datetime:
    """The time it is in UTC."""
    return datetime.now(UTC)


class CollectorState:
    """One collector at work.  ``commits`` and ``probe`` are there while the application runs."""

    commits: Commits
    probe: Probe

    def __init__(self, store: Store, settings: Settings, keys: Keys, clock: Clock = now) -> None:
        self.store, self.settings, self.keys, self.clock = store, settings, keys, clock
        self.counters, self.sessions = Counters(), Sessions()
        self.rate, self.addresses = Bucket(settings.rate), Addresses(settings.address_rate)
        self.deletions = Bucket(settings.delete_rate)
        self.bytes_taken = 0
        self.analyst, self.preparer = Analyst(store, self.ended), BackgroundCache()
        self.calculator = BackgroundCache(workers=1, waiting=8, kept=128)  # anybody may ask it
        self.apart = Apart("sottovoce.service.pages.calculator")
        self._analysts = ThreadPoolExecutor(2, "analyst")
        self._lookups = ThreadPoolExecutor(2, "lookup")
        self._asked = 0
        self.downloads = 0
        self.intakes: dict[bytes, Intake] = {}
        self.log_head = EMPTY
        self.ready = False
        self.refresh()

    def refresh(self) -> None:
        """Look up the surveys again, after one was published or closed."""
        found = self.store.surveys()
        self.intakes = {bytes.fromhex(key): Intake(told) for key, told in found.items()}
        self.log_head = self.store.log(most=0).head

    def published(self, fingerprint: str) -> Published:
        """The survey of a fingerprint; refused where there is none."""
        try:
            return self.intakes[bytes.fromhex(fingerprint)].published
        except (KeyError, ValueError):
            raise Declined(
                "unknown-survey", f"no survey has the fingerprint {fingerprint[:64]}"
            ) from None

    def note_out_of_files(self) -> None:
        """Count, and log once a minute, that a connection or file finds no open file left."""
        self.counters.out_of_files += 1
        log_once("files", "open files are used up: raise the limit (ulimit -n, LimitNOFILE)")

    async def aside(self, function: Callable[..., T], *arguments: Any) -> T:
        """What a function returns that takes long: done in a thread, beside the event loop.

        Where too many wait already, whoever asks is told to come back.
        """
        if self._asked >= _MOST_ASKED:
            raise Declined("rate-limited", "too much is asked at once", retry=RETRY_SECONDS)
        self._asked += 1
        try:
            return await self._in(self._analysts, function, *arguments)
        finally:
            self._asked -= 1

    async def lookup(self, function: Callable[..., T], *arguments: Any) -> T:
        """The same for what the store knows at once: it does not wait behind what takes long."""
        return await self._in(self._lookups, function, *arguments)

    @staticmethod
    async def _in(threads: ThreadPoolExecutor, function: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)

    def days(self) -> tuple[date, date]:
        """The last day of a window that is still waited for, and the day it is on fast clocks."""
        moment = self.clock()
        latest = (moment + timedelta(minutes=self.settings.skew_minutes)).date()
        return moment.date() - timedelta(self.settings.patience_days), latest

    def ended(self) -> date:
        """Windows with a last day before this one have ended: the last reports are written."""
        return (self.clock() - _LAST_COMMITS).date() - timedelta(self.settings.patience_days)

    def today(self) -> date:
        """The day it is in UTC."""
        return self.clock().date()

"""What a collector does by itself: folding reports into tallies, releases, retention, scrubbing, handing over.

What fails for one survey is counted, shown in ``/health/ready`` and ``/metrics`` and logged once, and
the other surveys are done all the same.  Nothing is removed by a clock that has just jumped ahead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from sottovoce.engines.handover import hand_over, is_handed_over
from sottovoce.service.logs import log_failure, log_warning
from sottovoce.service.state import CollectorState
from sottovoce.store import StoreDown, StoreFull

__all__ = ["Upkeep"]

_PATIENCE = 3.0
"""Seconds to wait at the end for what is under way, which loses nothing when it is cut short."""


class Upkeep:
    """Rounds that go on until they are stopped; one that fails is tried again at the next."""

    def __init__(self, state: CollectorState) -> None:
        self._desk, self._ended = state, threading.Event()
        self._rounds = [
            threading.Thread(target=rounds, name="upkeep", daemon=True)
            for rounds in (self._fold_rounds, self._tidy_rounds)
        ]
        for thread in self._rounds:
            thread.start()

    def stop(self) -> None:
        """Begin no more rounds, and wait a little for those that are under way."""
        self._ended.set()
        for thread in self._rounds:
            thread.join(_PATIENCE)

    def _fold_rounds(self) -> None:
        while not self._ended.wait(self._desk.settings.fold_seconds):
            self._attempt(self._fold)

    def _tidy_rounds(self) -> None:
        """The clock is looked at from the start, so that a jump before the first round is seen."""
        self._attempt(lambda: self._trusts(self._desk.today()))
        while not self._ended.wait(self._desk.settings.expire_seconds):
            self._attempt(self._tidy)

    @staticmethod
    def _attempt(work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            log_failure(error)

    def _fold(self) -> None:
        """All surveys at once; one by one where that fails, so that one does not stop the others."""
        store = self._desk.store
        try:
            self._until_none_is_left(store.fold)
        except (StoreDown, StoreFull):
            raise
        except Exception:
            self._each("fold", lambda f: self._until_none_is_left(lambda: store.fold(f)))
        else:
            self._desk.counters.upkeep.all_done("fold")

    def _until_none_is_left(self, fold: Callable[[], int]) -> None:
        """A part at a time, so that it can end in between."""
        while not self._ended.is_set() and fold():
            pass

    def _tidy(self) -> None:
        day, store = self._desk.today(), self._desk.store
        if self._trusts(day):
            if self._desk.settings.hand_over:  # before anything is removed
                self._each("release", lambda survey: store.release(survey, self._desk.ended()))
                self._each("hand-over", self._hand_over)
            self._each("expire", lambda survey: store.expire(day, survey))
            self._each("scrub", lambda survey: store.scrub(day, survey))
            self._each("release", lambda survey: store.release(survey, self._desk.ended()))

    def _hand_over(self, fingerprint: str) -> None:
        """Copy the closed windows of a survey that are not there yet."""
        store, folder = self._desk.store, Path(self._desk.settings.hand_over)
        survey = store.surveys()[fingerprint].survey
        for window, count in store.closed_windows(fingerprint, self._desk.ended()).items():
            if self._ended.is_set():
                return
            if not is_handed_over(folder, survey, window):
                hand_over(folder, survey, window, store.hand_out(fingerprint, window), count)

    def _each(self, work: str, do: Callable[[str], object]) -> None:
        """Do some work for every survey; what fails is noted, and the others follow."""
        upkeep = self._desk.counters.upkeep
        for survey in self._desk.store.surveys():
            if self._ended.is_set():
                return
            try:
                do(survey)
            except (StoreDown, StoreFull):
                raise
            except Exception as error:
                if upkeep.failed(work, survey):
                    log_failure(error, f"{work} of survey {survey}")
            else:
                upkeep.done(work, survey)

    def _trusts(self, day: date) -> bool:
        """Whether the clock has not jumped ahead, or has gone on from there long enough."""
        upkeep, seconds = self._desk.counters.upkeep, self._desk.settings.expire_seconds
        between_rounds = timedelta(seconds=seconds).days
        trusted = self._desk.store.trusts_day(day, step=1 + between_rounds)
        if not trusted and upkeep.clock_trusted:
            log_warning("the clock jumped ahead: nothing is removed until it has run on for 2 days")
        upkeep.clock_trusted = trusted
        return trusted

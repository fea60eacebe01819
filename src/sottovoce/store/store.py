"""A store: surveys, their reports, tallies and counters, in one database."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from types import TracebackType

from sottovoce.base.errors import Unfit
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.store import (
    checking,
    clock,
    folding,
    handing_out,
    publishing,
    reading,
    releasing,
    removing,
)
from sottovoce.store.catalogue import Catalogue, Entry
from sottovoce.store.databases.base import Database
from sottovoce.store.errors import StoreDown, StoreFull
from sottovoce.store.items import (
    Counts,
    Published,
    Receipt,
    Refusals,
    Released,
    Rules,
    Submission,
)
from sottovoce.store.publishing import LogPart
from sottovoce.store.writing import Batch
from sottovoce.surveys.signing import SignedSurvey
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today as today_in_utc

__all__ = ["Store"]


class Store:
    """Everything that a collector keeps; open one with :func:`sottovoce.store.open_store`.

    Any thread may call any method.  Transactions that write come one after the other, and long
    work (:meth:`fold`, :meth:`scrub`, :meth:`expire`) is made of short ones, so that reports
    are taken in between.
    """

    def __init__(self, database: Database, *, writable: bool) -> None:
        self.database, self.writable = database, writable
        self._catalogue = Catalogue()
        self._fold_lock = threading.Lock()
        with database.reading() as connection:
            self._catalogue.load(connection)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<store in {self.database.where}>"

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def _current(self) -> Catalogue:
        """What is published, also by a collector that runs elsewhere."""
        if not self.writable:
            with self.database.reading() as connection:
                self._catalogue.load(connection)
        return self._catalogue

    def _entry(self, fingerprint: str) -> Entry:
        return self._current().entry(fingerprint)

    def _check_writable(self, what: str) -> None:
        if not self.writable:
            raise Unfit(f"{what}: the store in {self.database.where} was opened only for reading")

    # -- surveys ---------------------------------------------------------------------------

    def publish(self, survey: Survey | SignedSurvey, rules: Rules | None = None) -> bool:
        """Collect for a survey from now on: True if it is new, False if it was there already.

        The same survey with other rules, or signed by another key, is a
        :class:`~sottovoce.base.errors.Mismatch`.  One that was not signed may be signed later.
        Every publication is written to the log, in the same transaction.
        """
        self._check_writable("publish")
        signed = survey if isinstance(survey, SignedSurvey) else None
        plain = survey.survey if isinstance(survey, SignedSurvey) else survey
        with self.database.lock:
            new = plain.fingerprint not in self._catalogue.entries
            with self.database.writing() as connection:
                entry = self._catalogue.publish(connection, plain, rules or Rules(), signed)
            if entry is not None:
                self._catalogue.entries[plain.fingerprint] = entry
            return new

    def log(self, start: int = 0, most: int = 1000) -> LogPart:
        """The head of the log of publications, and its entries from ``start`` on, ``most`` of them."""
        return publishing.read_log(self.database, start, most)

    def surveys(self) -> dict[str, Published]:
        """What is published, by fingerprint."""
        return {key: entry.published for key, entry in list(self._current().entries.items())}

    def close_survey(self, fingerprint: str) -> None:
        """Take no more reports of a survey, for good."""
        self._check_writable("close_survey")
        with self.database.lock:
            entry = self._catalogue.entry(fingerprint)
            with self.database.writing() as connection:
                closed = self._catalogue.close(connection, entry)
            entry.published = closed

    # -- reports in ------------------------------------------------------------------------

    def write(self, items: Sequence[Submission | Refusals]) -> list[Receipt]:
        """Store submissions and count refusals, in one transaction that is on the disk on return.

        One receipt an item, in order.  If anything fails nothing of it is stored, and it is
        :class:`StoreFull` or :class:`StoreDown` that says so.
        """
        self._check_writable("write")
        with self.database.lock:
            batch = Batch(self._catalogue, items)
            with self.database.writing() as connection:
                receipts = batch.write(self.database, connection)
            for (fingerprint, name), window in batch.new_windows.items():
                self._catalogue.entry(fingerprint).windows[name] = window
        self.database.wrote(batch.stored)
        return receipts

    # -- tallies ---------------------------------------------------------------------------

    def fold(self, fingerprint: str | None = None, most: int = 200_000) -> int:
        """Count reports into the tallies of their windows: how many, 0 when none is left.

        For all surveys at once, a window waits until its news are worth writing its tally
        anew; for one survey everything is folded.
        """
        self._check_writable("fold")
        entries = self._catalogue.chosen(fingerprint)
        with self._fold_lock:
            return folding.fold(self.database, entries, most, lazy=fingerprint is None)

    def _fold_all(self, fingerprint: str) -> None:
        while self.fold(fingerprint):
            pass

    def tally(self, fingerprint: str, windows: Iterable[str] | None = None) -> Tally:
        """The tally of all reports in some windows, or in all: up to date, whatever is folded."""
        entry = self._entry(fingerprint)
        return folding.tally(self.database, entry, windows)

    # -- releases --------------------------------------------------------------------------

    def release(self, fingerprint: str | None = None, ended: date | None = None) -> int:
        """Let readers see what has come, in steps of the minimum batch: how many windows moved on.

        Windows with a last day before ``ended`` take no more reports; neither do those of a
        survey that is closed.
        """
        self._check_writable("release")
        moved = 0
        for entry in self._catalogue.chosen(fingerprint):
            due = releasing.due_windows(self.database, entry, ended)
            if due:
                self._fold_all(entry.published.survey.fingerprint)
                moved += releasing.release(self.database, entry, due)
        return moved

    def released(self, fingerprint: str) -> dict[str, Released]:
        """What readers may see of every window, as of its last step."""
        return releasing.released(self.database, self._entry(fingerprint))

    def released_tally(self, fingerprint: str, windows: Collection[str]) -> Tally:
        """The tally that readers see of some windows; those below the minimum batch are left out."""
        return releasing.released_tally(self.database, self._entry(fingerprint), windows)

    def released_tallies(self, fingerprint: str, windows: Collection[str]) -> dict[str, Tally]:
        """The same for each window by itself, in the order of names."""
        return releasing.released_tallies(self.database, self._entry(fingerprint), windows)

    def windows_to_hand_out(self, fingerprint: str) -> tuple[str, ...]:
        """Windows whose reports readers may have one by one: all are released, none is gone."""
        return handing_out.windows_to_hand_out(self.database, self._entry(fingerprint))

    def closed_windows(self, fingerprint: str, ended: date) -> dict[str, int]:
        """Windows that ended before a day and are complete, and how many reports they have."""
        return handing_out.closed_windows(self.database, self._entry(fingerprint), ended)

    def hand_out(self, fingerprint: str, window: str) -> Iterator[Reports]:
        """The reports of such a window, some megabytes at a time; an error where one goes meanwhile."""
        return handing_out.hand_out(self.database, self._entry(fingerprint), window)

    # -- reports out -----------------------------------------------------------------------

    def delete(self, fingerprint: str, id: bytes) -> bool:
        """Take a report out, of its tally too; False if there is none of that id.

        The hash of the id stays, so that the report does not come back when it is sent again.
        """
        self._check_writable("delete")
        with self.database.lock:
            entry = self._catalogue.entry(fingerprint)
            with self.database.writing() as connection:
                return removing.delete(connection, entry, id)

    def trusts_day(self, day: date, step: int = 1) -> bool:
        """Whether the day that a clock shows may be used to :meth:`expire` and :meth:`scrub`.

        It may unless it is more than ``step`` days after the last one that was trusted: then the
        clock has to go on from there for two days first.
        """
        self._check_writable("trusts_day")
        return clock.trust_day(self.database, day, step)

    def expire(self, today: date, fingerprint: str | None = None) -> int:
        """Remove what has been kept as long as its survey's rules say: how many reports.

        Payloads and hashes of ids go, of windows that closed more than ``retention`` days ago, and
        such a window takes no more reports.  Tallies stay.  For one survey, or for all.
        """
        self._check_writable("expire")
        return self._each(fingerprint, lambda entry: self._expire(entry, today))

    def _expire(self, entry: Entry, today: date) -> int:
        names = removing.expired_windows(self.database, entry, today)
        if not names:
            return 0
        due = [entry.windows[name] for name in names if name in entry.windows]
        numbers = [window.number for window in due]
        with self.database.lock:
            with self.database.writing() as connection:
                removing.end_windows(connection, numbers)
            for window in due:
                window.over = True
        self._fold_all(entry.published.survey.fingerprint)
        releasing.release(self.database, entry, dict.fromkeys(numbers, True))
        return removing.expire(self.database, entry, numbers)

    def scrub(self, today: date | None = None, fingerprint: str | None = None) -> int:
        """Remove the payloads of windows that have closed, where the rules say so: how many.

        They are folded before; hashes of ids stay.  For one survey, or for all.
        """
        self._check_writable("scrub")
        day = today or today_in_utc()
        return self._each(fingerprint, lambda entry: self._scrub(entry, day))

    def _scrub(self, entry: Entry, today: date) -> int:
        due = removing.scrubbable_windows(self.database, entry, today)
        if not due:
            return 0
        self._fold_all(entry.published.survey.fingerprint)
        return removing.scrub(self.database, entry, due)

    def _each(self, fingerprint: str | None, work: Callable[[Entry], int]) -> int:
        """Do the work for one survey or all; an error of one is raised after the others are done."""
        done, failed = 0, []
        for entry in self._catalogue.chosen(fingerprint):
            try:
                done += work(entry)
            except (StoreDown, StoreFull):
                raise
            except Exception as error:
                failed.append(error)
        if failed:
            raise failed[0]
        return done

    # -- looking ---------------------------------------------------------------------------

    def probe(self) -> None:
        """Return if the database can be read and written to; else :class:`StoreDown`.

        A writing connection that broke is made anew.  One that is in use is left alone.
        """
        with self.database.reading() as connection:
            self.database.one(connection, "SELECT count(*) FROM surveys", {})
        if self.database.lock.acquire(blocking=False):
            try:
                with self.database.writing():
                    pass
            finally:
                self.database.lock.release()

    def counts(self, fingerprint: str | None = None) -> Counts:
        """What became of all reports ever sent, of one survey or of all."""
        entry = None if fingerprint is None else self._entry(fingerprint)
        return reading.counts(self.database, entry)

    def windows(self, fingerprint: str) -> dict[str, int]:
        """The reports in the tally of each window: all that were stored, less the deleted."""
        return reading.windows_of(self.database, self._entry(fingerprint))

    def kept(self, fingerprint: str) -> dict[str, int]:
        """The reports of each window that still have their payload; windows without are left out."""
        return reading.kept_of(self.database, self._entry(fingerprint))

    def reports(
        self, fingerprint: str, window: str | None = None, chunk: int = 100_000
    ) -> Iterator[tuple[list[bytes], Reports]]:
        """Hashes of ids and reports, in the order of hashes; those without payload are left out.

        Every chunk is read by itself, so that a slow reader keeps nothing from being cleared
        away: what comes or goes meanwhile may be there or not.
        """
        return reading.reports_of(self.database, self._entry(fingerprint), window, chunk)

    def hash_ids(self, fingerprint: str, ids: Iterable[bytes]) -> list[bytes]:
        """What this store keeps of the ids of reports, in order."""
        return self._entry(fingerprint).hash_ids(ids)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write a copy of all that is stored, while reports come in."""
        self.database.backup(os.fspath(path))

    def check(self) -> list[str]:
        """What is wrong: with the database, or between reports, counters and tallies."""
        return checking.check(self.database)

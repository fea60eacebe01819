"""Releases: the part of each tally that readers see.  It moves on in steps of the minimum batch.

Two answers that a reader can get differ by at least one minimum batch B of added reports, so
that asking before and after a report shows nothing about it:

- While a window is open, its release leaves out the newest B reports.  It moves on when at
  least B reports more have come, and then leaves out the newest B again.
- When a window has ended, its release is the whole tally.  At least B reports are added by this
  last step, because B were left out until then: nothing is lost.
- A deletion changes the tally at once, and the release with the next step.  After the last
  step, the release changes only when B reports have been deleted.

With B = 1 there is nothing to hide, and the release is always the whole tally.

The newest reports are kept as rows, in ``waiting``, until they are released: the release is the
tally without them.  ``added`` counts the reports added since the last step, deleted or not.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection, case, delete, func, insert, select, update

from sottovoce.core.tally import Tally
from sottovoce.store.catalogue import Entry
from sottovoce.store.cells import bytes_of_cells, cells_from_bytes, is_worth_writing, stored_tally
from sottovoce.store.databases.base import Database
from sottovoce.store.items import Released
from sottovoce.store.schema import changes, releases, tallies, waiting, windows

__all__ = [
    "News", "check", "due_windows", "release", "released", "released_tallies", "released_tally",
]  # fmt: skip


_PART = 10
"""A large release is written anew for a tenth as many reports as it has, if not for fewer."""


class News:
    """What folding brings to one window: reports added, the newest of them, reports deleted."""

    def __init__(self, entry: Entry) -> None:
        self._entry, self._most = entry, _left_out(entry)
        self._added = 0
        self._newest: deque[bytes] = deque()
        self._bytes = 0
        self._deleted: list[bytes] = []

    def add(self, sign: int, rows: bytes) -> None:
        """Rows of one change, side by side, in the order of commits."""
        width = self._entry.width
        if sign < 0:
            self._deleted += _split(rows, width)
            return
        self._added += len(rows) // width
        self._newest.append(rows)
        self._bytes += len(rows)
        while self._newest and self._bytes - len(self._newest[0]) >= self._most * width:
            self._bytes -= len(self._newest.popleft())

    def write(self, connection: Connection, window: int) -> None:
        """Keep the news until they are released: in the transaction that folds them."""
        changed = update(releases).where(releases.c.window == window)
        counted = changed.values(added=releases.c.added + self._added)
        if not connection.execute(counted).rowcount:
            connection.execute(insert(releases).values(window=window, added=self._added))
        width = self._entry.width
        newest = b"".join(self._newest)
        newest = newest[max(0, len(newest) - self._most * width) :]
        if self._deleted:
            newest = _without(_waiting(connection, window) + newest, self._deleted, width)
            connection.execute(delete(waiting).where(waiting.c.window == window))
        if newest:
            reports = len(newest) // width
            connection.execute(insert(waiting).values(window=window, reports=reports, rows=newest))
            _drop_older(connection, window, self._most)


def _left_out(entry: Entry) -> int:
    """The newest reports that the release of an open window leaves out."""
    batch = entry.published.survey.minimum_batch
    return 0 if batch == 1 else batch


def _split(rows: bytes, width: int) -> Iterator[bytes]:
    return (rows[start : start + width] for start in range(0, len(rows), width))


def _without(rows: bytes, deleted: Iterable[bytes], width: int) -> bytes:
    """Rows without deleted ones, where they are among them.

    Equal rows count the same: it does not matter whose is taken.
    """
    gone, kept = Counter(deleted), []
    for row in _split(rows, width):
        if gone[row] > 0:
            gone[row] -= 1
        else:
            kept.append(row)
    return b"".join(kept)


def _waiting(connection: Connection, window: int) -> bytes:
    """The rows that wait to be released, the oldest first."""
    chosen = select(waiting.c.rows).where(waiting.c.window == window).order_by(waiting.c.number)
    return b"".join(connection.execute(chosen).scalars())


def _drop_older(connection: Connection, window: int, most: int) -> None:
    """Drop rows that are not among the newest ``most`` of a window."""
    here = waiting.c.window == window
    chosen = select(waiting.c.number, waiting.c.reports).where(here)
    newer = 0
    for number, reports in connection.execute(chosen.order_by(waiting.c.number.desc())).all():
        if newer >= most:
            connection.execute(delete(waiting).where(here & (waiting.c.number <= number)))
            return
        newer += reports


# -- steps -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Standing:
    """How far a window is: whether it has ended, what is released, what is not."""

    ended: bool
    released: int
    counted: int
    """Reports in the tally, folded or not."""
    added: int
    """Reports added since the last step, folded or not."""


def _is_due(entry: Entry, window: _Standing) -> bool:
    """Whether the release may move on: the rule of this module."""
    batch = entry.published.survey.minimum_batch
    if batch == 1:
        return window.added > 0 or window.released != window.counted
    if window.ended:
        unseen = window.released < batch and window.added > 0
        return unseen or window.added >= batch or window.released - window.counted >= batch
    news = window.added - _left_out(entry)
    grown = news * _PART >= window.released
    return news >= batch and (grown or is_worth_writing(entry.mechanism.cells, news))


def due_windows(database: Database, entry: Entry, ended: date | None) -> dict[int, bool]:
    """Windows whose release may move on, and whether each has ended.

    Those with a last day before ``ended`` have, and all of a survey that is closed.
    """
    unfolded = (
        select(
            changes.c.window,
            func.sum(case((changes.c.sign > 0, changes.c.reports), else_=0)).label("added"),
        )
        .group_by(changes.c.window)
        .subquery()
    )
    kept = select(waiting.c.window).distinct().subquery()
    chosen = (
        select(
            windows.c.number, windows.c.name, windows.c.over, unfolded.c.added, releases.c.n,
            (windows.c.stored - windows.c.deleted).label("counted"),
            releases.c.added.label("folded"), kept.c.window.label("kept"),
        )
        .join_from(windows, unfolded, windows.c.number == unfolded.c.window, isouter=True)
        .join(releases, windows.c.number == releases.c.window, isouter=True)
        .join(kept, windows.c.number == kept.c.window, isouter=True)
        .where(windows.c.survey == entry.number)
    )  # fmt: skip
    with database.reading() as connection:
        found = connection.execute(chosen).all()
    due = {}
    for row in found:
        over = _has_ended(entry, row, ended)
        added = int(row.added or 0) + int(row.folded or 0)
        standing = _Standing(over, int(row.n or 0), int(row.counted), added)
        if _is_due(entry, standing) or (over and row.kept is not None):
            due[row.number] = over
    return due


def _has_ended(entry: Entry, row: Any, ended: date | None) -> bool:
    if entry.published.closed or row.over:
        return True
    return ended is not None and entry.last_day(row.name) < ended


def release(database: Database, entry: Entry, due: dict[int, bool]) -> int:
    """Move the releases of windows on, after all their reports were folded: how many moved."""
    moved = 0
    for window, over in due.items():
        with database.writing() as connection:
            moved += _move(connection, entry, window, over)
    return moved


def _move(connection: Connection, entry: Entry, window: int, over: bool) -> bool:
    before = connection.execute(select(releases).where(releases.c.window == window)).one_or_none()
    if before is None:
        return False
    folded = stored_tally(connection, entry, window).tally or Tally.empty(entry.mechanism)
    due = _is_due(entry, _Standing(over, before.n, folded.n, before.added))
    left_out = 0 if over else _left_out(entry)
    if due:
        seen = _without_newest(connection, entry, window, folded, left_out)
        values = {
            "step": before.step + 1, "n": seen.n, "added": left_out,
            "cells": bytes_of_cells(seen.cells),
        }  # fmt: skip
        connection.execute(update(releases).where(releases.c.window == window).values(values))
    if over:
        connection.execute(delete(waiting).where(waiting.c.window == window))
    return due


def _without_newest(
    connection: Connection, entry: Entry, window: int, folded: Tally, left_out: int
) -> Tally:
    if not left_out:
        return folded
    rows = _waiting(connection, window)
    newest = entry.tally(rows[max(0, len(rows) - left_out * entry.width) :])
    return Tally(entry.mechanism, folded.n - newest.n, folded.cells - newest.cells)


# -- reading ---------------------------------------------------------------------------------


def released(database: Database, entry: Entry) -> dict[str, Released]:
    """What is released of every window, in the order of names."""
    chosen = (
        select(windows.c.name, releases)
        .join_from(windows, releases, windows.c.number == releases.c.window, isouter=True)
        .where(windows.c.survey == entry.number)
        .order_by(windows.c.name)
    )
    with database.reading() as connection:
        rows = connection.execute(chosen).all()
    return {row.name: Released(int(row.n or 0), int(row.step or 0)) for row in rows}


def released_tally(database: Database, entry: Entry, names: Collection[str]) -> Tally:
    """The releases of windows, merged; those below the minimum batch are left out.

    Several windows of memoized reports are refused: their sum has larger errors than it says.
    """
    total = Tally.empty(entry.mechanism)
    for tally in _each_released(database, entry, names):
        total += tally
    return total


def released_tallies(database: Database, entry: Entry, names: Collection[str]) -> dict[str, Tally]:
    """The release of each window, in the order of names; those below the minimum batch are left out."""
    return {tally.window: tally for tally in _each_released(database, entry, names)}


def _each_released(database: Database, entry: Entry, names: Collection[str]) -> Iterator[Tally]:
    """One after the other, by one query: each may be large."""
    numbers = [entry.windows[name].number for name in names if name in entry.windows]
    shown = releases.c.window.in_(numbers) & releases.c.cells.is_not(None)
    enough = releases.c.n >= entry.published.survey.minimum_batch
    chosen = (
        select(windows.c.name, releases.c.n, releases.c.cells)
        .join_from(windows, releases, windows.c.number == releases.c.window)
        .where(shown & enough)
        .order_by(windows.c.name)
    )
    with database.reading() as connection:
        for name, n, cells in connection.execute(chosen):
            found = cells_from_bytes(cells, entry.mechanism.cells)
            yield Tally(entry.mechanism, n, found, name)


def check(connection: Connection, entry: Entry, window: Any) -> list[str]:
    """What is wrong with the release of a window, a row of ``windows`` without deletions."""
    chosen = select(releases.c.n, releases.c.added).where(releases.c.window == window.number)
    row = connection.execute(chosen).one_or_none()
    if row is None or window.deleted:
        return []
    mine = select(tallies.c.n).where(tallies.c.window == window.number)
    folded = connection.execute(mine).scalar() or 0
    if row.n + row.added == folded:
        return []
    return [f"reports released and waiting, folded: {row.n + row.added} is not {folded}"]

"""Reports counted into tallies, a piece at a time, and tallies read.

A commit leaves its rows in ``changes``, side by side; folding adds them to the tallies of
their windows and removes them, in one transaction: after a crash a row is in one place or
the other, never in both.  A deletion is a change too, with sign -1, and comes after the
change that it undoes, so that no cell is ever below 0.

Reading and counting come before the writing transaction, which compares: a tally that was written
meanwhile, or a change that came or went, makes it begin again.  So even two collectors that
fold the same store lose nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection, delete, func, select, update

from sottovoce.core.batches import RunningCount
from sottovoce.core.tally import Tally
from sottovoce.store.catalogue import Entry
from sottovoce.store.cells import bytes_of_cells, is_worth_writing, stored_tally
from sottovoce.store.databases.base import Database
from sottovoce.store.errors import StoreBusy
from sottovoce.store.releasing import News
from sottovoce.store.schema import changes, tallies
from sottovoce.surveys.windows import window_days

__all__ = ["fold", "tally", "tally_of"]

_TRIES = 20
"""How often folding begins again."""
_MOST_BYTES = 2**25
"""Rows of one window held in memory before they are counted."""


def fold(database: Database, entries: Collection[Entry], most: int, *, lazy: bool) -> int:
    """Fold about ``most`` reports: how many."""
    by_window = {w.number: entry for entry in entries for w in list(entry.windows.values())}
    for _ in range(_TRIES):
        try:
            return _fold_once(database, by_window, most, lazy=lazy)
        except _Overtaken:
            continue
    raise StoreBusy(
        f"another collector folds the reports in {database.where}, {_TRIES} times faster; "
        "stop one of the two"
    )


class _Overtaken(Exception):
    """What was read is no longer so."""


def _fold_once(database: Database, by_window: dict[int, Entry], most: int, *, lazy: bool) -> int:
    with database.reading() as connection:
        due = _due(connection, by_window, lazy)
        pieces = _gather(connection, due, most)
        for piece in pieces.values():
            piece.count()  # before tallies are read: both may be large
        before = {window: stored_tally(connection, by_window[window], window) for window in pieces}
    after = {w: piece.onto(before[w].tally) for w, piece in pieces.items()}
    if not after:
        return 0
    with database.writing() as connection:
        for window, result in after.items():
            _replace_tally(database, connection, before[window].folds, window, result)
            folded = (changes.c.window == window) & (changes.c.number <= pieces[window].last)
            gone = connection.execute(delete(changes).where(folded)).rowcount
            if gone != pieces[window].changes:
                raise _Overtaken
            pieces[window].news.write(connection, window)
    return sum(piece.reports for piece in pieces.values())


def _replace_tally(
    database: Database, connection: Connection, folds: int, window: int, result: Tally
) -> None:
    """Write a tally over the one that was read, and over no other."""
    values = {"n": result.n, "cells": bytes_of_cells(result.cells)}
    if folds:
        same = (tallies.c.window == window) & (tallies.c.folds == folds)
        written = connection.execute(
            update(tallies).where(same).values(folds=folds + 1, **values)
        ).rowcount
    else:
        written = database.run(connection, database.first_tally_sql, {"window": window, **values})
    if written != 1:
        raise _Overtaken


def tally(database: Database, entry: Entry, names: Iterable[str] | None) -> Tally:
    """The tallies of windows, merged, with all changes that are not yet folded."""
    if names is None:
        chosen = list(entry.windows)
    else:
        for name in (asked := sorted(set(names))):
            window_days(entry.published.survey.window, name)  # refuses what is no window of it
        chosen = [name for name in asked if name in entry.windows]
    with database.reading() as connection:
        return tally_of(connection, entry, chosen)


def tally_of(connection: Connection, entry: Entry, names: Collection[str]) -> Tally:
    """The tallies of windows, merged, with all changes that are not yet folded.

    One window's has its label; several of memoized reports are refused, by :class:`Tally` itself.
    """
    numbers = {name: entry.windows[name].number for name in names}
    pieces = _gather(connection, dict.fromkeys(numbers.values(), entry), None)
    total = None
    for name, number in numbers.items():
        found = stored_tally(connection, entry, number).tally
        if number in pieces:
            found = pieces[number].onto(found)
        if found is not None and found.n:
            part = found.of_window(name)
            total = part if total is None else total + part
    return Tally.empty(entry.mechanism) if total is None else total


class _Piece:
    """Changes of one window that follow each other."""

    def __init__(self, entry: Entry) -> None:
        self.entry, self.last, self.changes, self.reports, self._bytes = entry, 0, 0, 0, 0
        self._rows: dict[int, list[bytes]] = {1: [], -1: []}
        self._count = RunningCount(entry.mechanism)
        self.news = News(entry)

    def add(self, number: int, sign: int, reports: int, rows: bytes) -> None:
        self.last = number
        self.changes += 1
        self.reports += reports
        self._rows[sign].append(rows)
        self.news.add(sign, rows)
        self._bytes += len(rows)
        if self._bytes > _MOST_BYTES:
            self.count()

    def count(self) -> None:
        """Count the rows that are held, and forget them."""
        for sign, rows in self._rows.items():
            if rows:
                reports = self.entry.reports(b"".join(rows))
                rows.clear()
                change = self._count.add if sign > 0 else self._count.remove
                change(reports)
        self._bytes = 0

    def onto(self, before: Tally | None) -> Tally:
        """A tally with these changes made, in place: what was counted is used up by it."""
        self.count()
        if before is not None:
            self._count.add_tally(before)
        return self._count.tally()


def _due(connection: Connection, by_window: dict[int, Entry], lazy: bool) -> dict[int, Entry]:
    """The windows with changes, without those whose tally is too large to be written for so few."""
    news = select(changes.c.window, func.sum(changes.c.reports)).group_by(changes.c.window)
    due = {}
    for window, reports in connection.execute(news):
        entry = by_window.get(window)
        if entry is not None and (not lazy or is_worth_writing(entry.mechanism.cells, reports)):
            due[window] = entry
    return due


def _gather(
    connection: Connection, by_window: dict[int, Entry], most: int | None
) -> dict[int, _Piece]:
    """The first changes of some windows, until they are ``most`` reports."""
    pieces: dict[int, _Piece] = {}
    if not by_window:
        return pieces
    chosen = select(changes).where(changes.c.window.in_(by_window)).order_by(changes.c.number)
    seen = 0
    with connection.execute(chosen, execution_options={"yield_per": 1000}) as found:
        for number, window, sign, reports, rows in found:
            if window not in pieces:
                pieces[window] = _Piece(by_window[window])
            pieces[window].add(number, sign, reports, rows)
            seen += reports
            if most is not None and seen >= most:
                break
    return pieces

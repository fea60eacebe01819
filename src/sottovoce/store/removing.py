"""Reports taken out: one by its id, payloads of closed windows, windows kept long enough.

Long work goes through a survey in the order of hashes of ids, some thousands a transaction, and gives
way to those who wait in between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import date, timedelta

from sqlalchemy import ColumnElement, Connection, func, insert, select, update
from sqlalchemy import delete as delete_from

from sottovoce.base.errors import InvalidInput
from sottovoce.store.catalogue import Entry
from sottovoce.store.databases.base import Database
from sottovoce.store.errors import Scrubbed
from sottovoce.store.schema import (
    DELETED,
    HELD,
    SCRUBBED,
    changes,
    reports,
    tokens,
    windows,
)

__all__ = ["delete", "end_windows", "expire", "expired_windows", "scrub", "scrubbable_windows"]

_STEP = 10_000
"""Reports gone through in one transaction."""


def delete(connection: Connection, entry: Entry, report_id: bytes) -> bool:
    """Take out one report: its payload goes, its tally is told, the hash of its id stays."""
    if not isinstance(report_id, bytes) or len(report_id) != 16:
        raise InvalidInput("id", "delete", "16 bytes", report_id)
    (id_hash,) = entry.hash_ids([report_id])
    here = (reports.c.survey == entry.number) & (reports.c.id_hash == id_hash)
    chosen = select(reports.c.window, reports.c.state, reports.c.row).where(here)
    found = connection.execute(chosen).one_or_none()
    if found is None or found.state == DELETED:
        return False
    if found.state == SCRUBBED:
        raise Scrubbed(
            f"the payload of report {report_id.hex()} was scrubbed after it was counted: "
            "what it added to its tally is no longer known and cannot be taken out"
        )
    connection.execute(update(reports).where(here).values(state=DELETED, row=None))
    undo = {"window": found.window, "sign": -1, "reports": 1, "rows": found.row}
    connection.execute(insert(changes).values(undo))
    counted = update(windows).where(windows.c.number == found.window)
    connection.execute(counted.values(deleted=windows.c.deleted + 1))
    return True


def expired_windows(database: Database, entry: Entry, today: date) -> list[str]:
    """The windows that closed more than ``retention`` days ago and are not cleared yet."""
    retention = entry.published.rules.retention
    if retention is None:
        return []
    still = (windows.c.survey == entry.number) & windows.c.cleared.is_(False)
    with database.reading() as connection:
        names = connection.execute(select(windows.c.name).where(still)).scalars().all()
    last_days = {name: entry.last_day(name) for name in names}
    return [name for name, last in last_days.items() if today - last > timedelta(retention)]


def end_windows(connection: Connection, numbers: Collection[int]) -> None:
    """Windows take no more reports, and their tokens go."""
    connection.execute(update(windows).where(windows.c.number.in_(numbers)).values(over=True))
    connection.execute(delete_from(tokens).where(tokens.c.window.in_(numbers)))


def expire(database: Database, entry: Entry, numbers: Collection[int]) -> int:
    """Remove all reports of windows that are over, and their ids: how many reports."""

    def step(connection: Connection, these: ColumnElement[bool]) -> int:
        gone = _count_by_window(connection, these & (reports.c.state != DELETED), "expired")
        connection.execute(delete_from(reports).where(these))
        return gone

    gone = _go_through(database, entry, numbers, step)
    with database.writing() as connection:
        done = update(windows).where(windows.c.number.in_(numbers))
        connection.execute(done.values(cleared=True))
    return gone


def scrubbable_windows(database: Database, entry: Entry, today: date) -> list[int]:
    """Windows that are closed and still have payloads, where the rules want them scrubbed."""
    if not entry.published.rules.scrub:
        return []
    held = windows.c.stored - windows.c.deleted - windows.c.expired
    still = (windows.c.survey == entry.number) & (held > windows.c.scrubbed)
    chosen = select(windows.c.number, windows.c.name).where(still & windows.c.over.is_(False))
    with database.reading() as connection:
        found = connection.execute(chosen).all()
    closed = entry.published.closed
    return [row.number for row in found if closed or entry.last_day(row.name) < today]


def scrub(database: Database, entry: Entry, numbers: Collection[int]) -> int:
    """Remove the payloads of some windows: how many.  Their tallies, or changes, have them."""

    def step(connection: Connection, these: ColumnElement[bool]) -> int:
        held = these & (reports.c.state == HELD)
        gone = _count_by_window(connection, held, "scrubbed")
        connection.execute(update(reports).where(held).values(state=SCRUBBED, row=None))
        return gone

    return _go_through(database, entry, numbers, step)


def _count_by_window(connection: Connection, these: ColumnElement[bool], counter: str) -> int:
    """Add the number of these reports to a counter of their windows."""
    chosen = select(reports.c.window, func.count()).where(these).group_by(reports.c.window)
    total = 0
    for window, found in connection.execute(chosen).all():
        column = windows.c[counter]
        here = update(windows).where(windows.c.number == window)
        connection.execute(here.values({column: column + found}))
        total += found
    return total


def _go_through(
    database: Database,
    entry: Entry,
    numbers: Collection[int],
    step: Callable[[Connection, ColumnElement[bool]], int],
) -> int:
    """Do a step for all reports of some windows, one range of hashes per transaction."""
    mine, hashed, last, total = reports.c.survey == entry.number, reports.c.id_hash, b"", 0
    while True:
        ahead = select(hashed).where(mine & (hashed > last)).order_by(hashed)
        begun = time.monotonic()
        with database.writing() as connection:
            bounds = ahead.limit(_STEP).subquery()
            end = connection.execute(select(func.max(bounds.c.id_hash))).scalar()
            if end is None:
                return total
            these = mine & (hashed > last) & (hashed <= end)
            total += step(connection, these & reports.c.window.in_(numbers))
        database.wrote(_STEP)
        last = end
        time.sleep(min(0.05, time.monotonic() - begun))  # others come first

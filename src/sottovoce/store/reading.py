"""Counters, and reports as they were stored."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import func, select

from sottovoce.base.checks import check_int
from sottovoce.core.reports import Reports
from sottovoce.store.catalogue import Entry
from sottovoce.store.databases.base import Database
from sottovoce.store.items import Counts
from sottovoce.store.schema import HELD, refusals, reports, windows
from sottovoce.surveys.windows import window_days

__all__ = ["counts", "kept_of", "reports_of", "windows_of"]


def counts(database: Database, entry: Entry | None) -> Counts:
    """The counters of one survey, or of all and of reports for none."""
    names = ("stored", "duplicates", "deleted", "expired")
    sums = select(*(func.coalesce(func.sum(windows.c[name]), 0).label(name) for name in names))
    refused = select(refusals.c.code, func.sum(refusals.c.reports)).group_by(refusals.c.code)
    if entry is not None:
        sums = sums.where(windows.c.survey == entry.number)
        fingerprint = entry.published.survey.fingerprint
        refused = refused.where(refusals.c.fingerprint == fingerprint)
    with database.reading() as connection:
        total = connection.execute(sums).one()
        codes = {code: int(number) for code, number in connection.execute(refused)}
    stored, duplicates, deleted, expired = (int(number) for number in total)
    return Counts(stored, duplicates, dict(sorted(codes.items())), deleted, expired)


def windows_of(database: Database, entry: Entry) -> dict[str, int]:
    """How many reports each window's tally has, in the order of names."""
    chosen = select(windows.c.name, windows.c.stored - windows.c.deleted)
    ordered = chosen.where(windows.c.survey == entry.number).order_by(windows.c.name)
    with database.reading() as connection:
        return {name: int(number) for name, number in connection.execute(ordered)}


def kept_of(database: Database, entry: Entry) -> dict[str, int]:
    """How many reports of each window still have their payload, in the order of names.

    Counted one by one: a report that was scrubbed and then expired is in two counters.
    """
    held = (reports.c.survey == entry.number) & (reports.c.state == HELD)
    chosen = select(reports.c.window, func.count()).where(held).group_by(reports.c.window)
    named = select(windows.c.number, windows.c.name).where(windows.c.survey == entry.number)
    with database.reading() as connection:
        names = {row.number: row.name for row in connection.execute(named)}
        found = {names[number]: int(kept) for number, kept in connection.execute(chosen)}
    return dict(sorted(found.items()))


def reports_of(
    database: Database, entry: Entry, window: str | None, chunk: int
) -> Iterator[tuple[list[bytes], Reports]]:
    """Hashes of ids, and reports that still have their payload, in the order of hashes."""
    check_int(chunk, "chunk", "reports", 1)
    held = (reports.c.survey == entry.number) & (reports.c.state == HELD)
    if window is not None:
        window_days(entry.published.survey.window, window)  # refuses what is no window of it
        if window not in entry.windows:
            return
        held &= reports.c.window == entry.windows[window].number
    hashed = reports.c.id_hash
    chosen = select(hashed, reports.c.row).where(held).order_by(hashed).limit(chunk)
    last = b""
    while True:
        with database.reading() as connection:
            found = connection.execute(chosen.where(hashed > last)).all()
        if not found:
            return
        yield [row.id_hash for row in found], entry.reports(b"".join(row.row for row in found))
        last = found[-1].id_hash

"""Reports handed out to readers, one by one: of windows whose release has all of them.

Reports have no order of arrival, so that those of a release cannot be told from those that came
later.  They are handed out when there are no others: the window has ended, nothing was deleted
since its last step, and no payload was scrubbed or has expired.  If that ends while they are
read, reading ends with an error, so that a reader never sees which report is missing.
With a minimum batch of 1 all of this is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sqlalchemy import ColumnElement, Connection, and_, exists, select

from sottovoce.base.errors import Mismatch
from sottovoce.core.reports import Reports
from sottovoce.store.catalogue import Entry
from sottovoce.store.databases.base import Database
from sottovoce.store.schema import HELD, changes, releases, reports, windows

__all__ = ["closed_windows", "hand_out", "windows_to_hand_out"]

_CHUNK_BYTES = 2**20
"""Bytes of reports that are read at once, about: a row in Python is larger than its payload."""
_ROW_BYTES = 64


def windows_to_hand_out(database: Database, entry: Entry) -> tuple[str, ...]:
    """Windows whose reports may be handed out, in the order of names."""
    chosen = select(windows.c.name).where(windows.c.survey == entry.number, _is_whole(entry))
    with database.reading() as connection:
        return tuple(connection.execute(chosen.order_by(windows.c.name)).scalars())


def closed_windows(database: Database, entry: Entry, ended: date) -> dict[str, int]:
    """Windows that stay as they are, with all their reports, and how many: they have ended, and
    nothing of them was scrubbed or has expired.

    Those with a last day before ``ended`` have ended, and all of a survey that is closed.
    """
    complete = and_(
        windows.c.over.is_(False), windows.c.scrubbed == 0, windows.c.expired == 0,
        ~exists().where(changes.c.window == windows.c.number),
    )  # fmt: skip
    there = (windows.c.stored - windows.c.deleted).label("there")
    chosen = select(windows.c.name, there).where(
        windows.c.survey == entry.number, _is_whole(entry), complete
    )
    with database.reading() as connection:
        found = connection.execute(chosen.order_by(windows.c.name)).all()
    closed = entry.published.closed
    return {row.name: int(row.there) for row in found if closed or entry.last_day(row.name) < ended}


def _is_whole(entry: Entry) -> ColumnElement[bool]:
    """Whether a window may be handed out, in SQL."""
    there = windows.c.stored - windows.c.deleted
    batch = entry.published.survey.minimum_batch
    if batch == 1:
        return there > 0
    seen = (
        select(releases.c.n)
        .where(releases.c.window == windows.c.number, releases.c.added == 0)
        .scalar_subquery()
    )
    unfolded = exists().where(changes.c.window == windows.c.number)
    return and_(
        seen == there, there >= batch, ~unfolded, windows.c.over.is_(False),
        windows.c.scrubbed == 0, windows.c.expired == 0,
    )  # fmt: skip


def hand_out(database: Database, entry: Entry, name: str) -> Iterator[Reports]:
    """The reports of a window in the order of hashed ids, some megabytes at a time."""
    number = entry.windows[name].number
    held = (reports.c.survey == entry.number) & (reports.c.state == HELD)
    chosen = select(reports.c.id_hash, reports.c.row).where(held, reports.c.window == number)
    limit = max(1, _CHUNK_BYTES // (entry.width + _ROW_BYTES))
    last = b""
    while True:
        with database.reading() as connection:
            _check_whole(connection, entry, name)
            after = chosen.where(reports.c.id_hash > last).order_by(reports.c.id_hash).limit(limit)
            found = connection.execute(after).all()
        if not found:
            return
        yield entry.reports(b"".join(row.row for row in found))
        last = found[-1].id_hash


def _check_whole(connection: Connection, entry: Entry, name: str) -> None:
    mine = (windows.c.survey == entry.number) & (windows.c.name == name)
    if connection.execute(select(windows.c.number).where(mine, _is_whole(entry))).first() is None:
        raise Mismatch(
            f"window {name!r} of survey {entry.published.survey.name!r}: its reports changed "
            "while they were handed out; ask again"
        )

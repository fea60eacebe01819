"""Whether the day that a clock shows may be used to remove reports for good.

Retention and scrubbing compare days, and what they remove does not come back.  So a clock that
runs ahead once, after a dead battery or a wrong time server, must not remove everything.  A store
remembers the last day that it trusted.  A day that is before it, or at most ``step`` days after
it, is trusted.  A later one is a jump: it is trusted once the clock has gone on from there for
``_CONFIRM_DAYS`` days, or at once if it goes back.
"""

from __future__ import annotations

from datetime import date

from sqlalchemy import Connection, delete, insert, select

from sottovoce.store.databases.base import Database
from sottovoce.store.schema import meta

__all__ = ["Days", "read_days", "trust_day"]

_CONFIRM_DAYS = 2
"""Dates this far apart are at least 24 hours apart."""
_HERE = meta.c.name == "clock"

Days = tuple[date, date | None]
"""The last day that was trusted, and the day to which the clock jumped since (None: it did not)."""


def trust_day(database: Database, day: date, step: int) -> bool:
    """Whether that day may be trusted; what the store remembers of the clock is brought up to it."""
    with database.reading() as connection:
        before = read_days(connection)
    after = _next_days(before, day, step)
    if after != before:
        with database.writing() as connection:
            connection.execute(delete(meta).where(_HERE))
            text = " ".join(each.isoformat() for each in after if each is not None)
            connection.execute(insert(meta).values(name="clock", value=text.encode()))
    return after[1] is None


def read_days(connection: Connection) -> Days | None:
    """What the store remembers of the clock; None before it was first told a day."""
    value = connection.execute(select(meta.c.value).where(_HERE)).scalar()
    if value is None:
        return None
    trusted, *jumped = bytes(value).decode().split()
    return date.fromisoformat(trusted), date.fromisoformat(jumped[0]) if jumped else None


def _next_days(before: Days | None, day: date, step: int) -> Days:
    """What is remembered after the clock has shown a day."""
    if before is None or (day - before[0]).days <= step:
        return day, None
    trusted, jumped = before
    since = (day - jumped).days if jumped is not None else -1
    if not 0 <= since <= _CONFIRM_DAYS + step:
        return trusted, day
    return (day, None) if since >= _CONFIRM_DAYS else before

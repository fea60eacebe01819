"""The log of publications in the database: appended to with every survey, never changed."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import NotTrusted
from sottovoce.store.databases.base import Database
from sottovoce.store.schema import publications, surveys
from sottovoce.surveys.publications import EMPTY, LogHead, Publication, follow

__all__ = ["LogPart", "append", "check_log", "read_log"]


class LogPart(NamedTuple):
    """The head of a log, and some of its entries as documents, in order."""

    head: LogHead
    entries: list[dict[str, Any]]


def append(connection: Connection, survey: str, publisher: str) -> None:
    """Write the entry of a survey that is published, in the transaction that publishes it."""
    entry = Publication.after(_head(connection), survey, publisher)
    text = canonical_json(entry.document())
    row = {"number": entry.index, "entry": text, "head": entry.head.head}
    connection.execute(insert(publications).values(row))


def _head(connection: Connection) -> LogHead:
    chosen = select(publications.c.number, publications.c.head)
    row = connection.execute(chosen.order_by(publications.c.number.desc()).limit(1)).first()
    return EMPTY if row is None else LogHead(row.number + 1, row.head)


def read_log(database: Database, start: int, most: int) -> LogPart:
    """The head of the log, and up to ``most`` entries from ``start`` on."""
    chosen = select(publications.c.entry).where(publications.c.number >= start)
    with database.reading() as connection:
        rows = connection.execute(chosen.order_by(publications.c.number).limit(most)).scalars()
        return LogPart(_head(connection), [json.loads(text) for text in rows])


def check_log(connection: Connection) -> list[str]:
    """What is wrong with the log: its chain, or a published survey that it does not have."""
    rows = connection.execute(select(publications).order_by(publications.c.number)).all()
    documents = [json.loads(row.entry) for row in rows]
    try:
        followed = follow(EMPTY, documents)
    except NotTrusted as error:
        return [f"the log of publications is broken: {error}"]
    if rows and rows[-1].head != followed.head:
        return ["the log of publications is broken: its head is not that of its entries"]
    logged = {(entry["fingerprint"], entry["publisher"]) for entry in documents}
    published = connection.execute(select(surveys.c.fingerprint, surveys.c.publisher)).all()
    return [
        f"survey {row.fingerprint} is published and not in the log of publications"
        for row in published
        if (row.fingerprint, row.publisher or "") not in logged
    ]

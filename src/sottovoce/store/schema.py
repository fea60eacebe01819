"""The tables, one schema for SQLite and PostgreSQL.

No column says who sent a report or when it came.  Tables with a random key keep no order
of arrival either (WITHOUT ROWID in SQLite), except ``changes``, whose rows go as soon as
they are folded, and ``waiting``, which has no ids and whose rows go when their window has ended.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    false,
)

__all__ = [
    "DELETED",
    "HELD",
    "SCRUBBED",
    "changes",
    "meta",
    "metadata",
    "publications",
    "refusals",
    "releases",
    "reports",
    "surveys",
    "tallies",
    "tokens",
    "waiting",
    "windows",
]

HELD, SCRUBBED, DELETED = 0, 1, 2
"""States of a report: all there; its payload gone; only its id left, as a tombstone."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)

_Number = BigInteger().with_variant(Integer, "sqlite")


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default="0")


meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""What there is once: ``id-key``, the key of the hashes of ids, and ``clock``, the days of
:mod:`sottovoce.store.clock`."""

surveys = Table(
    "surveys",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("fingerprint", Text, nullable=False, unique=True),
    Column("document", Text, nullable=False),
    Column("upload", Text, nullable=False),
    Column("retention", Integer),
    Column("scrub", Boolean, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("publisher", Text),
    Column("signature", Text),
)
"""What is collected for: the survey's canonical JSON, its rules, and the publisher's key and
signature, NULL where it is not signed."""

publications = Table(
    "publications",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("entry", Text, nullable=False),
    Column("head", Text, nullable=False),
)
"""The log of publications (:mod:`sottovoce.surveys.publications`): canonical JSON of every entry, and
its hash.  Rows are added, and never changed or removed."""

windows = Table(
    "windows",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("survey", ForeignKey(surveys.c.number), nullable=False),
    Column("name", Text, nullable=False),
    _count("stored"),
    _count("duplicates"),
    _count("deleted"),
    _count("expired"),
    Column("over", Boolean, nullable=False, server_default=false()),
    Column("cleared", Boolean, nullable=False, server_default=false()),
    _count("scrubbed"),
    UniqueConstraint("survey", "name"),
    UniqueConstraint("survey", "number"),
)
"""Counters of a window.  One that is ``over`` takes no more reports, because it loses its ids;
when all are gone it is ``cleared``."""

reports = Table(
    "reports",
    metadata,
    Column("survey", _Number, primary_key=True, autoincrement=False),
    Column("id_hash", LargeBinary(16), primary_key=True),
    Column("window", _Number, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("row", LargeBinary),
    ForeignKeyConstraint(["survey", "window"], [windows.c.survey, windows.c.number]),
    sqlite_with_rowid=False,
)
"""Reports by survey and hash of their id (:mod:`sottovoce.store.hashing`), the only order there is.
Who has an id may delete the report, so that the ids themselves are not kept."""

changes = Table(
    "changes",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("window", ForeignKey(windows.c.number), nullable=False),
    Column("sign", SmallInteger, nullable=False),
    Column("reports", Integer, nullable=False),
    Column("rows", LargeBinary, nullable=False),
)
"""What is not yet in a tally: rows of one commit and window, side by side, to be added
(``sign`` 1) or taken out (-1).  Folding removes them."""

tallies = Table(
    "tallies",
    metadata,
    Column("window", ForeignKey(windows.c.number), primary_key=True, autoincrement=False),
    Column("folds", BigInteger, nullable=False),
    Column("n", BigInteger, nullable=False),
    Column("cells", LargeBinary, nullable=False),
)
"""Cells as little-endian unsigned integers of the fewest bytes that hold them all.  ``folds``
counts how often the tally was written: it changes whenever the tally does."""

releases = Table(
    "releases",
    metadata,
    Column("window", ForeignKey(windows.c.number), primary_key=True, autoincrement=False),
    _count("step"),
    _count("n"),
    _count("added"),
    Column("cells", LargeBinary),
)
"""What readers see of a window: ``n`` reports, in cells as those of ``tallies``, none before the
first step.  ``step`` counts the steps; ``added`` counts the reports folded since the last."""

waiting = Table(
    "waiting",
    metadata,
    Column("number", _Number, primary_key=True),
    Column("window", ForeignKey(windows.c.number), nullable=False),
    Column("reports", Integer, nullable=False),
    Column("rows", LargeBinary, nullable=False),
)
"""The newest rows of a window that are in its tally and not in its release, side by side.
They go when the window has ended."""

tokens = Table(
    "tokens",
    metadata,
    Column("window", ForeignKey(windows.c.number), primary_key=True, autoincrement=False),
    Column("token", LargeBinary(32), primary_key=True),
    Column("used", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""How many reports a token, hashed with survey and window, has brought; not which."""

refusals = Table(
    "refusals",
    metadata,
    Column("fingerprint", Text, primary_key=True),
    Column("code", Text, primary_key=True),
    _count("reports"),
    sqlite_with_rowid=False,
)
"""Reports refused, by survey (empty where unknown) and code."""

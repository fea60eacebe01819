"""The collector's store: reports, tallies and counters that lose nothing.

:func:`open_store` opens one, in SQLite or PostgreSQL; a :class:`Writer` commits what many
submit at once.  What is written is on the disk when it is acknowledged, an id counts once,
and reports sent = stored + duplicates + refused, always.  SQL is spoken in this room only.
"""

from sottovoce.base.extras import optional

for _package in ("sqlalchemy", "alembic"):
    optional(_package, extra="service", purpose="the store of a collector")

from sottovoce.store.errors import Scrubbed, StoreBusy, StoreDown, StoreFull  # noqa: E402
from sottovoce.store.items import (  # noqa: E402
    Counts,
    Published,
    Receipt,
    Refusals,
    Released,
    Rules,
    Submission,
)
from sottovoce.store.opening import open_store  # noqa: E402
from sottovoce.store.publishing import LogPart  # noqa: E402
from sottovoce.store.store import Store  # noqa: E402
from sottovoce.store.writer import Writer  # noqa: E402

__all__ = [
    "Counts",
    "LogPart",
    "Published",
    "Receipt",
    "Refusals",
    "Released",
    "Rules",
    "Scrubbed",
    "Store",
    "StoreBusy",
    "StoreDown",
    "StoreFull",
    "Submission",
    "Writer",
    "open_store",
]

"""A store opened from the command line, beside the collector that writes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sottovoce.base.extras import optional

if TYPE_CHECKING:
    from sottovoce.store import Store

__all__ = ["STORE", "StoreUrl", "open_beside", "without_password"]

STORE = "collector.db"
"""Where `sottovoce serve` keeps reports if it is told nothing."""

StoreUrl = Annotated[
    str,
    typer.Option(
        "--store", metavar="URL", envvar="SOTTOVOCE_STORE",
        help="The store of a collector, which may be running: a SQLite file, or a postgresql:// address. "
        "SOTTOVOCE_STORE says it too.",
    ),
]  # fmt: skip


def open_beside(url: str) -> Store:
    """The store, only to be read."""
    for package in ("sqlalchemy", "alembic", "msgspec"):
        optional(package, extra="service", purpose="reading a store")
    from sottovoce.store import open_store

    return open_store(url, writable=False)


def without_password(url: str) -> str:
    """The address of a store as it may be shown."""
    scheme, found, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    return f"{scheme}://{who.partition(':')[0]}{at}{where}" if found else url

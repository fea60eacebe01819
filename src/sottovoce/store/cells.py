"""Cells of a tally as bytes: little-endian unsigned integers, of the fewest bytes that hold all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from sottovoce.base.errors import CorruptBytes
from sottovoce.core.tally import Tally
from sottovoce.store.catalogue import Entry
from sottovoce.store.schema import tallies

__all__ = ["Stored", "bytes_of_cells", "cells_from_bytes", "is_worth_writing", "stored_tally"]

_LARGE = 2**16
_SHARE = 16
"""A tally of more than ``_LARGE`` cells is written anew only for a 16th as many reports."""


def is_worth_writing(cells: int, reports: int) -> bool:
    """Whether so many reports are worth writing a tally of so many cells anew."""
    return cells <= _LARGE or reports * _SHARE >= cells


@dataclass(frozen=True)
class Stored:
    """A tally as it is stored, and how often it was written; None and 0 where there is none."""

    tally: Tally | None
    folds: int


def stored_tally(connection: Connection, entry: Entry, window: int) -> Stored:
    """What is folded of a window, without its label: it is added to within that window only."""
    mechanism = entry.mechanism
    found = connection.execute(select(tallies).where(tallies.c.window == window)).one_or_none()
    if found is None:
        return Stored(None, 0)
    cells = cells_from_bytes(found.cells, mechanism.cells)
    return Stored(Tally(mechanism, found.n, cells), found.folds)


def bytes_of_cells(cells: NDArray[np.int64]) -> bytes:
    """Cells as they are stored."""
    smallest = np.min_scalar_type(int(cells.max()))
    return cells.astype(smallest.newbyteorder("<")).tobytes()


def cells_from_bytes(data: bytes, cells: int) -> NDArray[np.int64]:
    """The cells again."""
    width, rest = divmod(len(data), cells)
    if rest or width not in (1, 2, 4, 8):
        raise CorruptBytes(f"a tally of {cells} cells in {len(data)} bytes")
    found = np.frombuffer(data, dtype=f"<u{width}").astype(np.int64)
    found.setflags(write=False)  # so that a tally need not copy it
    return found

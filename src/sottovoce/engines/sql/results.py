"""The result of a counting query, made into tallies: one per group, or one of everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, Mismatch, SottovoceError, Unfit
from sottovoce.base.suggestions import no_column
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.engines.lake import WINDOW
from sottovoce.engines.sql.tally_query import CELL, COUNT, MECHANISM, fingerprint_text

__all__ = ["tallies_of_result"]


def tallies_of_result(
    mechanism: Mechanism, columns: Mapping[str, Sequence[Any]], by: str | None, name: str
) -> dict[str, Tally]:
    """The tally of every group of column ``by``; without it, one tally under the empty name.

    The result may be by more columns than are asked for: their groups are merged.  ``name`` is what
    messages call the result.  Columns are found whatever their case, since some databases fold it.
    """
    found = _by_name(columns, name)
    owners, cells, reports = (_column(found, each, name) for each in (MECHANISM, CELL, COUNT))
    _check_mechanism(mechanism, owners, name)
    public = [each for each in found if each not in (MECHANISM, CELL, COUNT)]
    if by is not None and by.lower() not in public:
        raise Unfit(no_column(by, public, name, "column to group by"))
    numbers = _codes([found[each] for each in public], len(cells))
    names = [""] * len(cells) if by is None else _names(found[by.lower()], by, name)
    tallies: dict[str, Tally] = {}
    for rows in _rows_of(numbers):
        group = names[rows[0]]
        try:
            part = Tally.from_counts(
                mechanism, [cells[row] for row in rows], [reports[row] for row in rows]
            )
        except SottovoceError as error:
            raise CorruptBytes(f"{name}: {error}") from error
        window = str(found[WINDOW][rows[0]]) if WINDOW in found else ""
        tallies[group] = tallies.get(group, Tally.empty(mechanism)) + part.of_window(window)
    if by is None:
        tallies.setdefault("", Tally.empty(mechanism))
    return tallies


def _by_name(columns: Mapping[str, Sequence[Any]], name: str) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {}
    for column, items in columns.items():
        if column.lower() in found:
            raise CorruptBytes(f"{name} has the column {column!r} twice")
        found[column.lower()] = items
    return found


def _column(found: Mapping[str, Sequence[Any]], column: str, name: str) -> Sequence[Any]:
    if column not in found:
        hint = "It must be the result of the query that sottovoce sql prints"
        raise Unfit(f"{no_column(column, list(found), name)}. {hint}")
    return found[column]


def _check_mechanism(mechanism: Mechanism, owners: Sequence[Any], name: str) -> None:
    """Refuse counts of other mechanisms than this one."""
    wanted = fingerprint_text(mechanism)
    others = sorted({str(owner) for owner in owners if owner != wanted})
    if others:
        raise Mismatch(
            f"{name} has counts of {', '.join(others[:3])}, not of {mechanism} ({wanted})"
        )


def _names(groups: Sequence[Any], by: str, name: str) -> list[str]:
    """The groups as text; a group without a name is refused."""
    empty = sum(group is None for group in groups)
    if empty:
        raise CorruptBytes(f"{name}: column {by!r} is empty in {empty:,} rows")
    return [str(group) for group in groups]


def _codes(columns: Sequence[Sequence[Any]], count: int) -> NDArray[np.int64]:
    """A number for every row: the same for rows that agree in all columns."""
    known: dict[tuple[Any, ...], int] = {}
    rows = zip(*columns, strict=True) if columns else ((),) * count
    return np.array([known.setdefault(row, len(known)) for row in rows], dtype=np.int64)


def _rows_of(numbers: NDArray[np.int64]) -> list[list[int]]:
    """The rows that have each number."""
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order])) + 1
    return [part.tolist() for part in np.split(order, ends) if len(part)]

"""True values, from the cells of a table to indices of a domain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.tables import read_columns, row_error
from sottovoce.domains.base import Domain, Indices, Read
from sottovoce.domains.parsing import text_of

__all__ = ["PrivateColumn", "groups_of", "is_empty", "read_values"]

Cells = list[Any]


def read_values(
    given: str, column: str, by: str | None, domain: Domain
) -> Iterator[tuple[Indices, list[str] | None]]:
    """Indices of the private ``column`` and the groups of the public one, some rows at a time.

    One bad cell ends everything, with its row.
    """
    name = "standard input" if given == "-" else given
    private = PrivateColumn(name, column, domain, domain.reader())
    wanted = [("--column", column)] if by is None else [("--column", column), ("--by", by)]
    for row, columns in read_columns(given, wanted):
        groups = None if by is None else groups_of(columns[1], row, by, name)
        yield private.indices(columns[0], row), groups


@dataclass(frozen=True)
class PrivateColumn:
    """A private column of a file."""

    file: str
    name: str
    domain: Domain
    read: Read

    def indices(self, cells: Cells, row: int) -> Indices:
        """The indices of some cells, of which the first is in ``row``; each distinct one is read once."""
        try:
            distinct = list(dict.fromkeys(cells))
            if any(map(is_empty, distinct)):
                raise ValueError("an empty cell")
            values = list(map(self.read, distinct))
            known = dict(zip(distinct, self.domain.indices(values).tolist(), strict=True))
            return np.fromiter(map(known.__getitem__, cells), dtype=np.int64, count=len(cells))
        except (ValueError, OverflowError):  # what the domain refuses is a ValueError as well
            for place, cell in enumerate(cells):
                self._check(cell, row + place)
            raise

    def _check(self, cell: Any, row: int) -> None:
        """An error with the row, where a cell is wrong."""
        if is_empty(cell):
            raise row_error(self.file, row, self.name, "not empty", cell)
        try:
            value = self.read(cell)
        except (ValueError, OverflowError):
            raise row_error(self.file, row, self.name, self.domain.written_as, cell) from None
        try:
            self.domain.index(value)
        except InvalidInput as error:
            raise row_error(self.file, row, self.name, error.allowed, value) from None


def is_empty(cell: Any) -> bool:
    """Whether nothing was answered: no text, or no number."""
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def groups_of(cells: Cells, row: int, by: str, name: str) -> list[str]:
    """The group that each cell of a public column names."""
    known = {cell: text_of(cell) for cell in dict.fromkeys(cells)}
    if any(map(is_empty, known)):
        place = next(place for place, cell in enumerate(cells) if is_empty(cell))
        raise row_error(name, row + place, by, "not empty: it names a group", cells[place])
    return [known[cell] for cell in cells]

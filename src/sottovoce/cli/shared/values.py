"""True values, from the cells of a table to indices of a domain; which columns hold them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.tables import read_columns, row_error
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.alignment import Alignment
from sottovoce.domains.base import Domain, Indices, Read
from sottovoce.domains.parsing import text_of

__all__ = ["Columns", "PrivateColumn", "groups_of", "is_empty", "read_values"]

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
    private.warn()


@dataclass(frozen=True)
class PrivateColumn:
    """A private column of a file."""

    file: str
    name: str
    domain: Domain
    read: Read

    @cached_property
    def _alignment(self) -> Alignment | None:
        """What is known of the numbers read so far; None where values are not numbers."""
        return None if self.domain.numbers is None else Alignment(self.domain.numbers)

    def warn(self) -> None:
        """Warn of what only all values together show, after the last of them."""
        if self._alignment is not None:
            self._alignment.warn()

    def indices(self, cells: Cells, row: int) -> Indices:
        """The indices of some cells, of which the first is in ``row``; each distinct one is read once."""
        try:
            distinct = list(dict.fromkeys(cells))
            if any(map(is_empty, distinct)):
                raise ValueError("an empty cell")
            values = list(map(self.read, distinct))
            known = dict(zip(distinct, self.domain.indices(values).tolist(), strict=True))
            if self._alignment is not None:
                self._alignment.add(values)
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


@dataclass(frozen=True)
class Columns:
    """The columns of a file that are read: all private but ``by``."""

    column: str
    number: str | None
    person: str | None
    by: str | None

    def check(self, chosen: Mechanism) -> None:
        """Refuse columns that the domain has no use for, and what must not be in the clear."""
        pairs, record = chosen.domain.keyed, chosen.domain.record
        if record is None and not self.column:
            raise InvalidInput("--column", "randomize", "given: the private column", None)
        if record is not None and self.column:
            allowed = "left out: columns have the names of the questions"
            raise InvalidInput("--column", "randomize", allowed, self.column)
        if pairs is not None and self.number is None:
            raise InvalidInput("--number", "randomize", "given with --keys", None)
        if pairs is None and self.number is not None:
            raise InvalidInput("--number", "randomize", "left out without --keys", self.number)
        if self.person is not None and (pairs is None or pairs.pairs is None):
            raise InvalidInput("--person", "randomize", "left out without --pairs", self.person)
        private = [name for name in (self.column, self.number, self.person) if name is not None]
        if len(set(private)) < len(private):
            allowed = "different columns"
            raise InvalidInput("--column, --number, --person", "randomize", allowed, private)
        if self.by is None:
            return
        if self.by in private:
            allowed = "a public column, not the private one: it is written in the clear"
            raise InvalidInput("--by", "randomize", allowed, self.by)
        fields = [field.name for field in chosen.fields]
        if self.by in fields:
            allowed = f"no name of a report's own columns ({', '.join(fields)}); rename the column"
            raise InvalidInput("--by", "randomize", allowed, self.by)

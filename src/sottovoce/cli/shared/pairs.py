"""Pairs of keys and numbers from two columns: a pair a row, or the rows of each person together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.cli.shared.tables import CHUNK, read_columns, row_error
from sottovoce.cli.shared.values import Columns, PrivateColumn, groups_of, is_empty
from sottovoce.domains.base import Indices
from sottovoce.domains.key_values import KeyValues

__all__ = ["read_pairs"]

Pairs = tuple[NDArray[Any], ...]
"""Columns that a mechanism over pairs randomizes: keys and numbers, after people where they have several."""


def read_pairs(
    given: str, columns: Columns, domain: KeyValues
) -> Iterator[tuple[Pairs, list[str] | None]]:
    """Pairs and the groups of the public column, some people at a time; one bad cell ends everything.

    Without a column of people every row is a person.  With one all rows are read first: a person's
    may be anywhere in the file.  People come in the order of their first rows.
    """
    name, by = "standard input" if given == "-" else given, columns.by
    assert columns.number is not None  # checked with the domain
    keys = PrivateColumn(name, columns.column, domain.keys, domain.keys.reader())
    numbers = PrivateColumn(name, columns.number, domain.interval, domain.interval.reader())
    wanted = [("--column", columns.column), ("--number", columns.number)]
    more = ("--person", columns.person), ("--by", by)
    wanted += [(option, column) for option, column in more if column is not None]
    people = None if columns.person is None else _People(name, columns.person, domain)
    for row, cells in read_columns(given, wanted):
        places = keys.indices(cells[0], row)
        numbers.indices(cells[1], row)  # refuses what is no number within the bounds
        told = np.array([float(cell) for cell in cells[1]])
        groups = None if by is None else groups_of(cells[-1], row, by, name)
        if people is None:
            yield (_labels(places, domain), told), groups
        else:
            people.add(cells[2], places, told, groups, row)
    if people is not None:
        for some, groups in people.some_at_a_time():
            yield some, None if by is None else groups


def _labels(places: Indices, domain: KeyValues) -> NDArray[Any]:
    """The keys themselves, as they are: numpy would turn 1 and "1" into the same text."""
    if domain.keys.values is None:
        return places
    names = np.empty(domain.keys.size, dtype=object)
    names[:] = domain.keys.values
    return names[places]


class _People:
    """Rows joined by who they are of."""

    def __init__(self, file: str, column: str, domain: KeyValues) -> None:
        self._file, self._column, self._domain = file, column, domain
        self._number: dict[Any, int] = {}
        self._pairs: list[dict[int, float]] = []
        self._groups: list[str] = []

    def add(
        self, who: list[Any], places: Indices, told: Any, groups: list[str] | None, row: int
    ) -> None:
        """Some rows, of which the first is ``row``."""
        domain = self._domain
        most = domain.pairs if domain.larger == "refuse" else None
        for place, person in enumerate(who):
            if is_empty(person):
                raise self._wrong(row + place, "not empty: it identifies people", person)
            number = self._number.setdefault(person, len(self._pairs))
            if number == len(self._pairs):
                self._pairs.append({})
                self._groups.append("" if groups is None else groups[place])
            held, key = self._pairs[number], int(places[place])
            if key in held:
                allowed = f"of someone without {domain.keys.label(key)!r} in a row before"
                raise self._wrong(row + place, allowed, person)
            if most is not None and len(held) == most:
                few = "1 pair" if most == 1 else f"{most} pairs"
                allowed = f"of someone with at most {few}; --larger sample draws one of more"
                raise self._wrong(row + place, allowed, person)
            if groups is not None and groups[place] != self._groups[number]:
                allowed = f"of someone in the same group as before, {self._groups[number]!r}"
                raise self._wrong(row + place, allowed, person)
            held[key] = float(told[place])

    def _wrong(self, row: int, allowed: str, given: object) -> Exception:
        return row_error(self._file, row, self._column, allowed, given)

    def some_at_a_time(self) -> Iterator[tuple[Pairs, list[str]]]:
        """Columns of people, keys and numbers."""
        for start in range(0, len(self._pairs), CHUNK):
            some = self._pairs[start : start + CHUNK]
            people = np.repeat(np.arange(len(some)), [len(held) for held in some])
            places = np.array([key for held in some for key in held], dtype=np.int64)
            told = np.array([number for held in some for number in held.values()])
            columns = people, _labels(places, self._domain), told
            yield columns, self._groups[start : start + CHUNK]

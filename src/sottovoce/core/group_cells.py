"""Counts of cells, group by group, to which reports are added: in a table, or sparse if large.

A table has a row per group and a column per cell.  Where a report falls in one cell, all groups
are counted by one ``bincount`` of ``group * cells + cell``, and a table that would be large is
kept as the sorted numbers of cells that are not zero, which are at most as many as reports.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["GroupCells"]

Counts = NDArray[np.int64]

_LARGE = 2**23
"""Counters of a table at most (64 MB), where it can be sparse."""
_MERGE = 2**20
"""Sparse counters that wait to be merged, at least."""


class GroupCells:
    """The cells of many groups; a group is a number."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._n = np.zeros(0, dtype=np.int64)
        self._table = np.zeros((0, mechanism.cells), dtype=np.int64)
        self._sparse: _SparseCounts | None = None

    @property
    def size(self) -> int:
        """Counters that there are."""
        return self._table.size if self._sparse is None else len(self._sparse.cells)

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return self._table.nbytes if self._sparse is None else self._sparse.nbytes

    def count(self, reports: Reports, groups: Counts | None, most: int) -> None:
        """Add reports, of the groups with these numbers below ``most``."""
        if groups is None:
            self._grow(1)
            self._n[0] += len(reports)
            self._add_row(0, self.mechanism.count(reports))
            return
        self._grow(most)
        cells = self.mechanism.cells_of(reports)
        if cells is None:
            self._n += np.bincount(groups, minlength=len(self._n))
            for group, part in _split(reports, groups):
                self._add_row(group, self.mechanism.count(part))
        else:
            flat = np.multiply(groups, self.mechanism.cells, dtype=np.int64)
            flat += cells  # in place: new arrays of this size cost more than the sum
            self._add_flat(flat, most)

    def add(self, group: int, n: int, cells: Counts, counts: Counts) -> None:
        """Add what was counted elsewhere: some cells of one group."""
        owner, size = f"partial of {self.mechanism.name}", self.mechanism.cells
        cells, counts = np.asarray(cells, np.int64), np.asarray(counts, np.int64)
        if len(cells) != len(counts) or np.any((cells < 0) | (cells >= size)):
            raise InvalidInput("cells", owner, f"{len(counts)} from 0 to {size - 1}", cells)
        self._grow(group + 1)
        self._n[group] += n
        if self._sparse is None:
            np.add.at(self._table[group], cells, counts)
        else:
            self._sparse.add(group * size + cells, counts)

    def groups(self) -> Iterator[tuple[int, int, Counts, Counts]]:
        """Number, reports, cells that are not zero and their counts, of groups with reports."""
        for group in np.flatnonzero(self._n).tolist():
            cells, counts = self._cells_of(group)
            yield group, int(self._n[group]), cells, counts

    def tallies(self) -> Iterator[tuple[int, Tally]]:
        """The tallies of groups with reports."""
        for group, n, cells, counts in self.groups():
            dense = np.zeros(self.mechanism.cells, dtype=np.int64)
            dense[cells] = counts
            dense.setflags(write=False)
            yield group, Tally(self.mechanism, n, dense)

    def _cells_of(self, group: int) -> tuple[Counts, Counts]:
        if self._sparse is not None:
            return self._sparse.between(group, self.mechanism.cells)
        row = self._table[group]
        cells = np.flatnonzero(row)
        return cells, row[cells]

    def _grow(self, groups: int) -> None:
        """Room for so many groups, twice as much as is needed so that it is rarely made."""
        if groups <= len(self._n):
            return
        room = groups if groups <= 1 else 2 * groups
        self._n = np.concatenate([self._n, np.zeros(room - len(self._n), dtype=np.int64)])
        if self._sparse is not None:
            return
        if self.mechanism.blocks == 1 and groups > 1 and groups * self.mechanism.cells > _LARGE:
            self._sparse = _SparseCounts.of_table(self._table)
            self._table = self._table[:0]
            return
        table = np.zeros((room, self.mechanism.cells), dtype=np.int64)
        table[: len(self._table)] = self._table
        self._table = table

    def _add_row(self, group: int, counts: Counts) -> None:
        if self._sparse is None:
            self._table[group] += counts
        else:
            cells = np.flatnonzero(counts)
            self._sparse.add(group * self.mechanism.cells + cells, counts[cells])

    def _add_flat(self, flat: Counts, groups: int) -> None:
        """Add reports by the number of their counter, and to the numbers of reports by the way."""
        size = self.mechanism.cells
        if self._sparse is None:
            counts = np.bincount(flat, minlength=groups * size).reshape(groups, size)
            self._table[:groups] += counts
            self._n[:groups] += counts.sum(axis=1)
        else:
            cells, numbers = np.unique(flat, return_counts=True)
            self._sparse.add(cells, numbers)
            np.add.at(self._n, cells // size, numbers)


class _SparseCounts:
    """Sorted numbers of counters that are not zero, and their counts."""

    def __init__(self, cells: Counts, counts: Counts) -> None:
        self.cells, self.counts = cells, counts
        self._added: list[tuple[Counts, Counts]] = []
        self._many = 0

    @classmethod
    def of_table(cls, table: Counts) -> _SparseCounts:
        cells = np.flatnonzero(table)
        return cls(cells, table.ravel()[cells])

    @property
    def nbytes(self) -> int:
        return 16 * (len(self.cells) + self._many)

    def add(self, cells: Counts, counts: Counts) -> None:
        """Add sorted counters; merged when as many wait as there are."""
        self._added.append((cells, counts))
        self._many += len(cells)
        if self._many > max(len(self.cells), _MERGE):
            self._merge()

    def _merge(self) -> None:
        parts = [(self.cells, self.counts), *self._added]
        self._added, self._many = [], 0
        cells = np.concatenate([cells for cells, _ in parts])
        counts = np.concatenate([counts for _, counts in parts])
        order = np.argsort(cells, kind="stable")  # runs that are sorted: merged, not sorted anew
        cells, counts = cells[order], counts[order]
        first = np.flatnonzero(np.append(True, cells[1:] != cells[:-1])) if len(cells) else order
        self.cells = cells[first]
        self.counts = np.add.reduceat(counts, first) if len(cells) else counts

    def between(self, group: int, size: int) -> tuple[Counts, Counts]:
        """The cells of a group that are not zero, and their counts."""
        if self._added:
            self._merge()
        start, end = np.searchsorted(self.cells, [group * size, (group + 1) * size])
        return self.cells[start:end] - group * size, self.counts[start:end]


def _split(reports: Reports, groups: Counts) -> Iterator[tuple[int, Reports]]:
    """The reports of every group."""
    order = np.argsort(groups.astype(np.min_scalar_type(int(groups.max()))), kind="stable")
    sizes = np.bincount(groups)
    ends = np.cumsum(sizes)
    for group in np.flatnonzero(sizes):
        rows = order[ends[group] - sizes[group] : ends[group]]
        yield int(group), reports.like({k: column[rows] for k, column in reports.columns.items()})

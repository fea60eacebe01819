"""Reports counted as they come, by group: what every engine that tallies is made of.

An engine gives batches to a :class:`Counter` wherever they are, and merges what the counters found:
partial tallies, which add up exactly in any order.  The command line, Spark, Dask and Ray differ
only in who calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidCell, InvalidInput
from sottovoce.core.fields import Column
from sottovoce.core.group_cells import GroupCells
from sottovoce.core.groups import Group, Groups
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["WINDOW", "Counter", "Partial", "labelled"]

WINDOW = "window"
"""The public column of windows."""
_ROWS = 2**17
"""Rows that are counted at once: batches of engines are smaller, too small for compiled kernels."""
_BYTES = 2**23
"""Bytes of reports that wait to be counted, at most, beside one batch."""
_FULL = 2**26
"""Bytes of counts beyond which a counter asks to hand them on."""


@dataclass(frozen=True, eq=False)
class Partial:
    """What one counter found of one group: a row that any engine can carry.

    Parameters
    ----------
    group : tuple of str
        The labels of the group, one per column of ``by``.
    n : int
        The number of reports.
    cells : array of int64
        The numbers of the cells that are not zero, ascending.
    counts : array of int64
        Their counts.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
    >>> counter = sv.Counter(m)
    >>> counter.add({"value": [1, 1, 1]})
    >>> [partial] = counter.partials()
    >>> partial.group, partial.n, partial.cells.tolist(), partial.counts.tolist()
    ((), 3, [1], [3])
    """

    group: Group
    n: int
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]


def labelled(tally: Tally, by: tuple[str, ...], group: Group) -> Tally:
    """The tally of a group with the label of its window, where a column tells windows."""
    return tally.of_window(group[by.index(WINDOW)]) if WINDOW in by else tally


class Counter:
    """Count batches of reports into a tally per group, in bounded memory.

    Small batches are gathered to about 2^17 rows. Groups are counted together, not one by one.
    A batch that is refused leaves the counter as it was.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the reports.
    by : str or sequence of str
        Public columns whose values tell groups apart; none for one tally of everything.

    Raises
    ------
    InvalidInput
        Where ``by`` names a column twice, or a field of the report.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
    >>> counter = sv.Counter(m, by=["region"])
    >>> counter.add({"value": [0, 1, 1], "region": ["north", "north", "south"]})
    >>> other = sv.Counter(m, by=["region"])       # on another machine
    >>> other.add({"value": [1], "region": ["south"]})
    >>> counter.merge(other.partials())
    >>> {group: tally.n for group, tally in counter.tallies().items()}
    {('north',): 2, ('south',): 2}
    """

    def __init__(self, mechanism: Mechanism, by: str | Iterable[str] = ()) -> None:
        if not isinstance(mechanism, Mechanism):
            raise InvalidInput("mechanism", "Counter", "a mechanism", mechanism)
        self.mechanism = mechanism
        self.by = (by,) if isinstance(by, str) else tuple(by)
        owner, fields = f"Counter of {mechanism.name}", [f.name for f in mechanism.fields]
        if not all(isinstance(name, str) for name in self.by) or len(set(self.by)) < len(self.by):
            raise InvalidInput("by", owner, "names of columns, each once", self.by)
        for name in set(self.by) & set(fields):
            allowed = f"public columns, not fields of the report ({', '.join(fields)})"
            raise InvalidInput("by", owner, allowed, name)
        self.rows = 0
        """Rows that were added, in order; errors name a row among them."""
        self._groups = Groups(self.by, f"batches of {mechanism.name}")
        self._cells = GroupCells(mechanism)
        self._waiting: list[tuple[Reports, NDArray[np.int64] | None]] = []
        self._waiting_rows = self._waiting_bytes = 0

    def add(self, batch: Any) -> None:
        """Count a batch.

        Parameters
        ----------
        batch : pyarrow.RecordBatch, pyarrow.Table, Reports, or mapping of str to column
            Rows with the fields of the mechanism and the columns of ``by``; other columns are
            ignored. Arrow data is as :meth:`Reports.from_arrow` takes it. :class:`Reports` have no
            public columns, so that they fit only a counter without ``by``.

        Raises
        ------
        InvalidInput
            Where a value is empty, of another type or outside its field: with its column and its
            row, counted from 1 over all that was added.
        Mismatch
            Where the batch is of another mechanism.
        CorruptBytes
            Where a field is missing.
        Unfit
            Where a column of ``by`` is missing.
        """
        try:
            reports = self._reports(batch)
            codes = self._groups.of_batch(batch, len(reports))
        except InvalidCell as error:
            raise error.later(self.rows) from error
        self.rows += len(reports)
        most = self._block(reports)
        for start in range(0, len(reports), most):
            part = slice(start, start + most)
            self._wait(reports[part], None if codes is None else codes[part])

    def partials(self) -> list[Partial]:
        """What was counted since the last call, by group; the counter starts again from nothing."""
        self._count()
        cells, self._cells = self._cells, GroupCells(self.mechanism)
        groups = self._groups.labels()
        return [Partial(groups[i], n, found, counts) for i, n, found, counts in cells.groups()]

    def merge(self, partials: Iterable[Partial]) -> None:
        """Add what other counters found of the same mechanism and columns.

        Parameters
        ----------
        partials : iterable of Partial
            From :meth:`partials`, in any order.

        Raises
        ------
        InvalidInput
            Where a partial has other columns, or cells that the mechanism does not have.
        """
        for partial in partials:
            if len(partial.group) != len(self.by):
                owner, allowed = f"partial of {self.mechanism.name}", f"labels of {list(self.by)}"
                raise InvalidInput("group", owner, allowed, partial.group)
            number = self._groups.number(partial.group)
            self._cells.add(number, partial.n, partial.cells, partial.counts)

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every group so far, by its labels, in their order.

        Without ``by`` there is one group, ``()``, also where nothing was added. Where ``by`` has a
        column ``window``, tallies are labelled with it.
        """
        self._count()
        groups = self._groups.labels()
        counted = ((groups[number], tally) for number, tally in self._cells.tallies())
        found = {group: labelled(tally, self.by, group) for group, tally in counted}
        if not self.by:
            found.setdefault((), Tally.empty(self.mechanism))
        return dict(sorted(found.items()))

    @property
    def is_full(self) -> bool:
        """Whether counts take more than 64 MB: time to hand :meth:`partials` on."""
        return self._cells.nbytes > _FULL

    @property
    def groups(self) -> int:
        """How many groups were seen."""
        return len(self._groups)

    # -- batches ---------------------------------------------------------------------------

    def _reports(self, batch: Any) -> Reports:
        if isinstance(batch, Reports):
            self.mechanism.check_own(batch)
            if self.by:
                allowed = f"Arrow data or a mapping of columns, where there are groups by {self.by}"
                raise InvalidInput("batch", f"Counter of {self.mechanism.name}", allowed, batch)
            return batch
        if isinstance(batch, Mapping):
            return Reports(self.mechanism, _fields(self.mechanism, batch))
        if not hasattr(batch, "schema"):
            allowed = "Arrow data (a table or record batch), Reports, or a mapping of columns"
            raise InvalidInput("batch", f"Counter of {self.mechanism.name}", allowed, batch)
        return Reports.from_arrow(batch, self.mechanism)

    def _block(self, reports: Reports) -> int:
        """Rows to count at once: more where there are more counters than rows to add to them."""
        width = max(1, reports.nbytes // max(1, len(reports)))
        rows = max(_ROWS, min(self._cells.size, 16 * _ROWS))
        return max(1, min(rows, _BYTES // width))

    def _wait(self, reports: Reports, codes: NDArray[np.int64] | None) -> None:
        self._waiting.append((reports, codes))
        self._waiting_rows += len(reports)
        self._waiting_bytes += reports.nbytes
        if self._waiting_rows >= self._block(reports) or self._waiting_bytes >= _BYTES:
            self._count()

    def _count(self) -> None:
        """Count what waits."""
        if self._waiting:
            parts, codes = zip(*self._waiting, strict=True)
            self._waiting.clear()
            self._waiting_rows = self._waiting_bytes = 0
            together = None if codes[0] is None else _joined(codes)
            self._cells.count(_together(parts), together, len(self._groups))


def _fields(mechanism: Mechanism, batch: Mapping[str, Any]) -> dict[str, Column]:
    """The columns of a mapping that are fields; what is missing is found by :class:`Reports`."""
    names = [field.name for field in mechanism.fields]
    return {name: np.asarray(batch[name]) for name in names if name in batch}


def _together(parts: tuple[Reports, ...]) -> Reports:
    names = parts[0].columns
    return parts[0].like({name: _joined([part.columns[name] for part in parts]) for name in names})


def _joined(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    several = list(arrays)
    return several[0] if len(several) == 1 else np.concatenate(several)

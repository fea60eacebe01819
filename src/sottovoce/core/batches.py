"""Reports counted batch by batch, in memory that does not grow with them: the seam for engines.

An engine that runs elsewhere, over files, partitions or a stream, calls :func:`tally_batches` on
each part and adds the tallies, which are exact in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.base.extras import optional
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["RunningCount", "tally_batches"]


def tally_batches(mechanism: Mechanism, batches: Iterable[Any]) -> Tally:
    """Count batches of reports into one tally, holding one batch at a time.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the reports.
    batches : iterable of Reports, or of Arrow tables or record batches
        Arrow data is as :meth:`Reports.to_arrow` and Parquet files of reports give it, with the
        mechanism in its metadata; other columns are ignored. Order and size are free.

    Returns
    -------
    Tally
        The tally of all batches; the empty tally if there is none.

    Raises
    ------
    Mismatch
        Where a batch is of another mechanism; the message gives its index.
    InvalidInput
        Where a batch does not hold reports.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
    >>> batches = (m.randomize(["tea"] * 500) for _ in range(4))
    >>> sv.tally_batches(m, batches).n
    2000
    """
    if isinstance(batches, Reports) or hasattr(batches, "schema"):
        allowed = "an iterable of batches, such as a list (for one batch: mechanism.tally)"
        raise InvalidInput("batches", "tally_batches", allowed, batches)
    count = RunningCount(mechanism)
    for index, batch in enumerate(batches):
        try:
            count.add(_reports(batch, mechanism, index))
        except (CorruptBytes, Mismatch) as error:
            raise type(error)(f"batch {index} of tally_batches: {error}") from error
    return count.tally()


def _reports(batch: Any, mechanism: Mechanism, index: int) -> Reports:
    if isinstance(batch, Reports):
        return batch
    if not hasattr(batch, "schema"):
        allowed = "Reports, or an Arrow table or record batch"
        raise InvalidInput(f"batch {index}", "tally_batches", allowed, batch)
    arrow = optional("pyarrow", extra="analyse", purpose="tally_batches of Arrow batches")
    table = arrow.Table.from_batches([batch]) if isinstance(batch, arrow.RecordBatch) else batch
    return Reports.from_arrow(table, mechanism)


class RunningCount:
    """Cells of a tally to which reports are added in place: a tally may have millions of them."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.n = mechanism, 0
        self._cells: NDArray[np.int64] | None = None

    def add(self, reports: Reports) -> None:
        """Count reports, which must be of this mechanism."""
        self.mechanism.check_own(reports)
        self._add(len(reports), self.mechanism.count(reports))

    def remove(self, reports: Reports) -> None:
        """Undo the counting of reports."""
        self.mechanism.check_own(reports)
        self._add(-len(reports), -self.mechanism.count(reports))

    def add_tally(self, tally: Tally) -> None:
        """Add what was counted before."""
        self._add(tally.n, tally.cells)

    def _add(self, n: int, cells: NDArray[np.int64]) -> None:
        self.n += n
        if self._cells is None:
            self._cells = cells
        elif self._cells.flags.writeable:
            self._cells += cells
        else:
            self._cells = self._cells + cells

    def tally(self) -> Tally:
        """The tally so far.  It takes the cells over: what is added later is added to a copy."""
        if self._cells is None:
            return Tally.empty(self.mechanism)
        self._cells.setflags(write=False)
        return Tally(self.mechanism, self.n, self._cells)

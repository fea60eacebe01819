"""Reports counted batch by batch, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.core.counter import Counter
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally

__all__ = ["RunningCount", "tally_batches"]


def tally_batches(mechanism: Mechanism, batches: Iterable[Any]) -> Tally:
    """Count batches of reports into one tally, holding a few megabytes of them at a time.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the reports.
    batches : iterable
        Batches as :meth:`Counter.add` takes them: reports, Arrow tables or record batches, or
        mappings of columns; other columns are ignored. Order and size are free.

    Returns
    -------
    Tally
        The tally of all batches; the empty tally if there is none.

    Raises
    ------
    Mismatch
        Where a batch is of another mechanism; the message gives its index.
    InvalidInput
        Where a batch does not hold reports; the message gives the row, counted over all batches.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
    >>> batches = (m.randomize(["tea"] * 500) for _ in range(4))
    >>> sv.tally_batches(m, batches).n
    2000
    """
    if isinstance(batches, (Reports, Mapping)) or hasattr(batches, "schema"):
        allowed = "an iterable of batches, such as a list (for one batch: mechanism.tally)"
        raise InvalidInput("batches", "tally_batches", allowed, batches)
    counter = Counter(mechanism)
    for index, batch in enumerate(batches):
        try:
            counter.add(batch)
        except (CorruptBytes, Mismatch) as error:
            raise type(error)(f"batch {index} of tally_batches: {error}") from error
    return counter.tallies()[()]


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

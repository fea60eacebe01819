"""Reports that are sets of values, each with its likelihood as a whole.

In unary encoding, subset selection and hashing with free seeds a report is a set S.
Its probability depends on the sender's value v only through whether v is in S:
in S it is E' times as likely as outside.  So for a population with shares w

    P(S) is proportional to 1 + (E' - 1) w(S),     w(S) = sum of w over S

* unary encoding: bits are independent, so members stand to others as
  ``(p/q) : ((1-p)/(1-q))``, that is ``E' = p (1 - q) / (q (1 - p))``;
* subset selection: ``p / C(d-1, k-1)`` against ``(1 - p) / C(d-1, k)``, that is
  ``E' = p (d - k) / ((1 - p) k)``;
* hashing: the cell is kept with weight ``keep + other`` and is any other with ``other``.

Each time E' is the worst ratio of the mechanism's certificate.  The tally of such sets
forgets which values were reported together; these rows do not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.kernels.sets import set_products, set_step, set_sums

__all__ = ["SetRows", "set_rows"]

_LARGEST = 2**33
"""Bytes of packed sets beyond which the tally must do."""
_CHUNK = 2**24
"""Bytes of sets that are turned at a time."""
_ROWS_A_VALUE, _FEW_ROWS = 100, 2**14
"""Rows for each value that a curvature is taken from, and at least: it is right to about a tenth."""
_STALE = 0.1
"""Change of a weight, as a part of it, beyond which a curvature is taken again."""


def set_rows(
    mechanism: Mechanism, reports: Reports, packed: Callable[[Reports], NDArray[np.uint8]]
) -> SetRows:
    """The rows of ``reports``; ``packed`` gives the sets of a slice of them.

    They take n d / 8 bytes, and no more than 16 MB beside that on the way.
    """
    size, n = mechanism.domain.size, len(reports)
    places = -(-size // 8)
    if places * n > _LARGEST:
        raise InvalidInput(
            "reports", f"joint likelihood of {mechanism.name}",
            f"of at most {_LARGEST // places} for {size} values", n,
            hint="Give their tally: it has a composite likelihood.",
        )  # fmt: skip
    columns = np.empty((places, n), dtype=np.uint8)
    step = max(1, _CHUNK // places)
    for start in range(0, n, step):
        columns[:, start : start + step] = packed(reports[start : start + step]).T
    certificate = mechanism.certificate()
    return SetRows(columns, size, certificate.numerator / certificate.denominator)


class SetRows:
    """Sets (bytes of one place together, a column a report) and their ratio E'.

    Few values make few different sets: equal ones are then merged and counted.
    """

    def __init__(self, columns: NDArray[np.uint8], size: int, ratio: float) -> None:
        self.inputs, self.total = size, float(columns.shape[1])
        self._gain = ratio - 1
        self._columns, self._counts = _merged(columns, size)
        self._kept: tuple[Floats, Floats] | None = None

    def em_step(self, shares: Floats) -> tuple[Floats, float]:
        """``L = 1 + (E' - 1) [v in S]``, so that ``L'q = sum q + (E' - 1) sum of q over S with v``."""
        inside, inverse, likelihood = set_step(self._columns, self._counts, self._gain, shares)
        return (inverse + self._gain * inside) / self.total, likelihood

    def curvature(self, shares: Floats) -> Floats:
        """With ``s = c / (L w)^2`` and B the sets: ``sum s + (E'-1) (b 1' + 1 b') + (E'-1)^2 B' s B``.

        Where there are more rows than a curvature needs, every m-th stands for m.  It is
        kept until the s have changed.  Both cost Newton's method a few more steps, to the
        same place, and save far more than that.
        """
        enough = max(_ROWS_A_VALUE * self.inputs, _FEW_ROWS)
        every = max(1, len(self._counts) // enough)
        columns, counts = self._columns[:, ::every], self._counts[::every]
        expected = shares.sum() + self._gain * set_sums(columns, shares)
        weights = counts * (self.total / counts.sum()) / expected**2
        if self._kept is None or np.abs(weights / self._kept[0] - 1).max() > _STALE:
            pairs, inside = set_products(columns, weights, self.inputs)
            inside *= self._gain
            bend = weights.sum() + inside[:, None] + inside + self._gain**2 * pairs
            self._kept = weights, bend
        return self._kept[1]


def _merged(columns: NDArray[np.uint8], size: int) -> tuple[NDArray[np.uint8], Floats]:
    """Different sets and how often each was reported, where there can be few of them."""
    places, n = columns.shape
    if size > 20 or 2**size > n:
        return columns, np.ones(n)
    code = sum(columns[j].astype(np.int64) << (8 * j) for j in range(places))
    counts = np.bincount(np.asarray(code), minlength=2**size)
    seen = np.flatnonzero(counts)
    distinct = np.stack([(seen >> (8 * j) & 255).astype(np.uint8) for j in range(places)])
    return distinct, counts[seen].astype(np.float64)

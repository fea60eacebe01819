"""Many passes of EM at once, for matrices in pieces (:mod:`sottovoce.kernels.segments`).

A pass of such a channel is a few thousand operations, less than the interpreter takes to
start it.  So whole runs are compiled, over arrays laid out for it:

* rows that nobody fell in are left out;
* the first, second, ... single entries of all rows form columns, and those of all inputs;
* starts and stops of pieces do not fall from row to row, so that the rows that cover an
  input are a range: the way back needs running sums and no scattering;
* the log-likelihood is summed up from its changes ``c log(new/old)``, by a short series of
  the logarithm once passes are small.

A channel that does not fit, or a machine without numba, goes pass by pass instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels.loader import compiled
from sottovoce.kernels.segments import Segments

__all__ = ["SegmentsEm"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NEARLY_FULL = 0.75
"""Part of a column of entries that must be there for it to be stored whole."""


class SegmentsEm:
    """Runs of EM under ``segments`` on ``cells``."""

    def __init__(self, kernel: Callable[..., int], segments: Segments, cells: Floats) -> None:
        seen = np.flatnonzero(cells > 0)
        counts = np.diff(segments.pointer)[seen]
        rows = np.repeat(np.arange(len(seen)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = np.repeat(segments.pointer[seen], counts) + within
        entries, values = segments.entries[at], segments.values[at]
        self._kernel, self._counts = kernel, np.ascontiguousarray(cells[seen])
        starts, stops = segments.starts[seen].T, segments.stops[seen].T
        levels, slopes = segments.levels[seen].T, segments.slopes[seen].T
        self._forward = (
            segments.base[seen], *(np.ascontiguousarray(x) for x in (levels, slopes)),
            slopes.any(axis=1),
            *(np.ascontiguousarray(x, dtype=np.uint32) for x in (starts, stops)),
            *_columns(rows, entries, values, len(seen)),
        )  # fmt: skip
        inputs = np.arange(segments.columns)
        first = np.stack([np.searchsorted(stop, inputs, side="right") for stop in stops])
        last = np.stack([np.searchsorted(start, inputs, side="right") for start in starts])
        self._back = (
            first.astype(np.uint32), np.maximum(first, last).astype(np.uint32),
            *_columns(entries, rows, values, segments.columns),
        )  # fmt: skip

    @classmethod
    def of(cls, segments: Segments, cells: Floats) -> SegmentsEm | None:
        """None where it does not fit, or numba is not installed (the ``analyse`` extra)."""
        kernels = compiled("em")
        orderly = all(np.all(np.diff(x, axis=0) >= 0) for x in (segments.starts, segments.stops))
        if kernels is None or not orderly or not np.any(cells > 0):
            return None
        return cls(kernels.run_em, segments, cells)

    def run(
        self, shares: Floats, passes: int, tolerance: float, smoothing: int
    ) -> tuple[Floats, Floats, Floats]:
        """Passes from ``shares``, as :class:`sottovoce.channels.base.EmRun` says."""
        shares, ratio = np.array(shares, dtype=np.float64), np.empty(len(shares))
        likelihoods = np.empty(passes + 1)
        done = self._kernel(
            self._forward, self._back, self._counts, (shares, ratio, likelihoods),
            (smoothing, tolerance),
        )  # fmt: skip
        return shares, ratio, likelihoods[: done + 1]


def _columns(owner: Ints, other: Ints, values: Floats, size: int) -> tuple[Any, ...]:
    """Entries by owner: partners and values ``[k, owner]`` of nearly full columns, then the rest.

    The rest is a list of owners, partners and values, neighbours having different owners.
    """
    order = np.argsort(owner, kind="stable")
    owner, other, values = owner[order], other[order], values[order]
    counts = np.bincount(owner, minlength=size)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    full = int((np.bincount(place, minlength=1) >= _NEARLY_FULL * size).sum())
    partners, weights = np.zeros((full, size), dtype=np.uint32), np.zeros((full, size))
    fits = place < full
    partners[place[fits], owner[fits]] = other[fits]
    weights[place[fits], owner[fits]] = values[fits]
    rest = np.flatnonzero(~fits)
    rest = rest[np.argsort(place[rest], kind="stable")]
    owners, others = (x[rest].astype(np.uint32) for x in (owner, other))
    return partners, weights, (owners, others, values[rest])

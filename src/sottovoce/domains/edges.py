"""Edges of bins that are not all equally wide, and an end that is open.

A bin is found by comparing a value with the edges, which are doubles that the survey carries: every
device finds the same one, whatever the value.  Nothing here is computed from a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice, check_int, check_real
from sottovoce.base.errors import InvalidInput

__all__ = ["Edges", "check_edge_options", "drawn", "given_edges", "log_edges", "made_edges"]

_MOST = 4_096
"""Edges at most: every survey carries all of them."""
_SCALES = ("linear", "log")
_DIGITS = 9
"""Digits of edges that are computed: the same on every machine, and short in a document."""


@dataclass(frozen=True)
class Edges:
    """Bounds of bins from the lowest up, whether one more bin lies beyond, and how to draw them."""

    bounds: tuple[float, ...]
    open_end: bool = False
    scale: str = "linear"

    def __post_init__(self) -> None:
        check_edge_options(self.scale, self.open_end)
        if not 2 <= len(self.bounds) <= _MOST:
            allowed = f"2 to {_MOST:,} numbers"
            raise InvalidInput("edges", "Interval", allowed, f"{len(self.bounds)} numbers")
        for before, after in pairwise(self.bounds):
            if not before < after:
                allowed = "strictly increasing, from low to high"
                raise InvalidInput("edges", "Interval", allowed, (before, after))

    @property
    def bins(self) -> int:
        """How many bins there are, an open one among them."""
        return len(self.bounds) - 1 + self.open_end

    @cached_property
    def all(self) -> NDArray[np.float64]:
        """The edges of all bins; an open one ends at infinity."""
        return np.array([*self.bounds, *([np.inf] if self.open_end else [])])

    def find(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The bins of values that are inside: on an edge, the one above it."""
        found = np.searchsorted(np.array(self.bounds), values, side="right") - 1
        return np.minimum(found, self.bins - 1).astype(np.int64)

    def every(self, count: int) -> Edges:
        """Those of wider bins, each of ``count`` of these."""
        kept = self.all[::count]
        return Edges(tuple(kept[np.isfinite(kept)].tolist()), self.open_end, self.scale)


def drawn(
    edges: NDArray[np.float64], scale: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Finite edges on an axis, and the widths of the bins there: powers of 10 on a logarithmic one.

    A bin from 0 on a logarithmic axis, and one with an open end, has no width of its own: it gets that
    of its neighbour.
    """
    found = edges.copy()
    if scale == "log":
        with np.errstate(divide="ignore"):
            found = np.log10(found)
    some = len(found) > 3
    if not np.isfinite(found[0]):
        found[0] = 2 * found[1] - found[2] if some else found[1] - 1.0
    if not np.isfinite(found[-1]):
        found[-1] = 2 * found[-2] - found[-3] if some else found[-2] + abs(found[-2]) + 1.0
    return (10.0**found if scale == "log" else found), np.diff(found)


def check_edge_options(scale: object, open_end: object) -> None:
    """Refuse an unknown scale, and an ``open_end`` that is neither true nor false."""
    check_choice(scale, "scale", "Interval", _SCALES)
    if not isinstance(open_end, bool):
        raise InvalidInput("open_end", "Interval", "True or False", open_end)


def given_edges(edges: Any, low: float, high: float, start: object = None) -> tuple[float, ...]:
    """Edges that somebody chose: numbers from ``low`` to ``high``; ``start`` is for edges that are made."""
    _check_start(start, fits=False)
    if isinstance(edges, (str, bytes)) or not isinstance(edges, (Iterable, Sequence)):
        raise InvalidInput("edges", "Interval", "a list of numbers", edges)
    bounds = tuple(check_real(edge, "edges", "Interval", "finite numbers") + 0.0 for edge in edges)
    if not bounds or bounds[0] != low or bounds[-1] != high:
        given = f"from {bounds[0]:g} to {bounds[-1]:g}" if bounds else "none"
        raise InvalidInput("edges", "Interval", f"from low = {low:g} to high = {high:g}", given)
    return bounds


def _check_start(start: object, *, fits: bool) -> None:
    if start is not None and not fits:
        allowed = 'left out but with scale="log" and bins'
        raise InvalidInput("start", "Interval", allowed, start)


def made_edges(
    low: float, high: float, bins: int, *, scale: str, start: float | None, open_end: bool
) -> tuple[float, ...] | None:
    """Edges of so many bins, an open one not counted; None where all bins are equal."""
    _check_start(start, fits=scale == "log")
    if scale == "log":
        return log_edges(low, high, bins, start)
    return _spaced_edges(low, high, bins) if open_end else None


def _spaced_edges(low: float, high: float, bins: int) -> tuple[float, ...]:
    """Edges of equal bins."""
    steps = check_int(bins, "bins", "Interval", 1, _MOST - 1)
    return (*(low + (high - low) * i / steps for i in range(steps)), high)


def log_edges(low: float, high: float, bins: int, start: float | None) -> tuple[float, ...]:
    """Edges of bins that are equal in the logarithm; from 0, the first one ends at ``start``.

    >>> log_edges(1.0, 1000.0, 3, None), log_edges(0.0, 1000.0, 3, 10.0)
    ((1.0, 10.0, 100.0, 1000.0), (0.0, 10.0, 100.0, 1000.0))
    """
    if low > 0 and start is not None:
        raise InvalidInput("start", "Interval", "left out where low is above 0", start)
    if low < 0:
        raise InvalidInput("low", "Interval", 'above 0, or 0 with start=, for scale="log"', low)
    least = low
    if low == 0:
        allowed = f"a number above 0, below high = {high:g}: where the first bin, from 0, ends"
        least = check_real(start, "start", "Interval", allowed)
        if not 0 < least < high:
            raise InvalidInput("start", "Interval", allowed, start)
    steps = check_int(bins - (low == 0), "bins", "Interval", 1, _MOST - 2)
    inner = np.exp(np.linspace(np.log(least), np.log(high), steps + 1))[1:-1]
    rounded = (float(f"{edge:.{_DIGITS}g}") for edge in inner)
    return (*((0.0,) if low == 0 else ()), least, *rounded, high)

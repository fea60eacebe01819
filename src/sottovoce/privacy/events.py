"""Counts of events in reports of every value, and what they bound epsilon by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional

__all__ = ["Counts", "Sample", "Supports", "count_outcomes", "count_supports", "lower_bounds"]

Sample = Callable[[Any, int], Any]
Supports = Callable[[Any, Any], NDArray[np.bool_]]
Counts = NDArray[np.int64]

_CHUNK = 2**16


def count_supports(
    sample: Sample, values: Sequence[Any], supports: Supports, trials: int
) -> tuple[Counts, Counts, bool]:
    """``mine[v, u]``: reports of v with v and without u; ``theirs[v, u]``: the same among reports of u."""
    size = len(values)
    mine = np.zeros((size, size), dtype=np.int64)
    theirs = np.zeros((size, size), dtype=np.int64)
    held = np.zeros(size, dtype=np.int64)
    for v, reports, count in _chunks(sample, values, trials):
        sets = np.stack([_whole(supports(reports, value), count) for value in values])
        mine[v] += (sets[v] & ~sets).sum(axis=1)
        theirs[:, v] += (sets & ~sets[v]).sum(axis=1)
        held += sets.sum(axis=1)
    return mine, theirs, bool(np.any((held > 0) & (held < size * trials)))


def count_outcomes(
    sample: Sample, values: Sequence[Any], outcomes: int, read: Callable[[Any], Any], trials: int
) -> Counts:
    """``counts[v, y]``: how many reports of v were y."""
    counts = np.zeros((len(values), outcomes), dtype=np.int64)
    for v, reports, count in _chunks(sample, values, trials):
        drawn = _whole(read(reports), count)
        if drawn.min() < 0 or drawn.max() >= outcomes:
            worst = int(drawn.min() if drawn.min() < 0 else drawn.max())
            raise InvalidInput("reports", "the audited sample", f"from 0 to {outcomes - 1}", worst)
        counts[v] += np.bincount(drawn, minlength=outcomes)
    return counts


def _chunks(sample: Sample, values: Sequence[Any], trials: int) -> Iterator[tuple[int, Any, int]]:
    for v, value in enumerate(values):
        for start in range(0, trials, _CHUNK):
            count = min(_CHUNK, trials - start)
            yield v, sample(value, count), count


def _whole(column: Any, count: int) -> NDArray[Any]:
    """One entry a report, as many as were asked for: fewer would hide what is sent."""
    array = np.asarray(column)
    if array.shape != (count,):
        allowed = f"{count} reports, one entry each"
        raise InvalidInput("reports", "the audited sample", allowed, f"shape {array.shape}")
    return array


def lower_bounds(
    mine: Counts, theirs: Counts, trials: int, alpha: float, delta: float
) -> NDArray[np.float64]:
    """``ln((low(p1) - delta) / high(p2))`` for every event, both ways, at a shared confidence."""
    stats = optional("scipy.stats", extra="analyse", purpose="an audit")
    tail = alpha / (4 * mine.size)  # two proportions an event, each bounded on both sides

    def bound(likely: Counts, rare: Counts) -> NDArray[np.float64]:
        low = np.where(likely == 0, 0.0, stats.beta.ppf(tail, likely, trials - likely + 1))
        high = np.where(rare == trials, 1.0, stats.beta.isf(tail, rare + 1, trials - rare))
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(low - delta, 0.0)) - np.log(high)

    return np.maximum(0.0, np.maximum(bound(mine, theirs), bound(theirs, mine)))

"""Answers about vectors, coordinate by coordinate."""

from __future__ import annotations

from sottovoce.base.errors import Unfit
from sottovoce.core.tally import Tally

__all__ = ["coordinates"]


def coordinates(tally: Tally) -> list[Tally]:
    """One tally a coordinate, of the mechanism for one number: whatever is asked of numbers
    can then be asked of each.

    Where a device reported one drawn coordinate, a coordinate's tally holds the reports of
    those who drew it: a random sample of all, so that errors about everybody are those of
    ``for_population()``.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("vector", sv.Vector(sv.Interval(0, 24, bins=12), 2), 4.0)
    >>> rows = [[8.5, 20.5], [7.5, 21.5]] * 5_000
    >>> sleep, screen = sv.coordinates(m.tally(m.randomize(rows, source=sv.Seeded(1))))
    >>> sleep.n + screen.n
    10000
    >>> abs(sv.estimate(screen, goal="mean").mean().value - 21) < 0.5
    True
    """
    mechanism, one = tally.mechanism, tally.mechanism.coordinate
    if mechanism.domain.vector is None or one is None:
        raise Unfit(f"coordinates needs the tally of a vector; this one is of {mechanism}")
    parts = tally.cells.reshape(-1, one.cells)
    return [Tally(one, int(part.sum()) // one.blocks, part) for part in parts]

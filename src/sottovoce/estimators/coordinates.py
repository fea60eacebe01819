"""Answers about vectors, coordinate by coordinate."""

from __future__ import annotations

from sottovoce.base.errors import Unfit
from sottovoce.core.tally import Tally

__all__ = ["coordinates"]


def coordinates(tally: Tally) -> list[Tally]:
    """Split the tally of a vector into one tally per coordinate.

    Every question about numbers can then be asked of each coordinate. Where a device reports one
    drawn coordinate, the tally of a coordinate holds the reports of those who drew it: a random
    sample, so that errors about everybody are those of ``for_population()``.

    Parameters
    ----------
    tally : Tally
        A tally over a ``Vector``.

    Returns
    -------
    list of Tally
        One tally per coordinate, of the mechanism for one number.

    Raises
    ------
    Unfit
        Where the tally is not of a vector.

    Examples
    --------
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

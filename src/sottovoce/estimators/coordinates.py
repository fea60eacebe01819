"""Answers about vectors, coordinate by coordinate."""

from __future__ import annotations

from sottovoce.base.errors import Unfit
from sottovoce.core.tally import Tally
from sottovoce.domains.vector import Vector
from sottovoce.mechanisms.gaussian import Gaussian
from sottovoce.mechanisms.sampled_coordinate import SampledCoordinate

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
    mechanism = tally.mechanism
    drawn = isinstance(mechanism, SampledCoordinate)
    every = isinstance(mechanism, Gaussian) and isinstance(mechanism.domain, Vector)
    if not (isinstance(mechanism, (SampledCoordinate, Gaussian)) and (drawn or every)):
        raise Unfit(f"coordinates needs the tally of a vector; this one is of {mechanism}")
    one = mechanism.coordinate
    parts = tally.cells.reshape(-1, one.cells)
    return [Tally(one, tally.n if every else int(part.sum()), part) for part in parts]

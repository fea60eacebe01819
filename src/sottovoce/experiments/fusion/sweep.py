"""Cells of a figure drawn again and again, and put together as curves over what varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from sottovoce.base.randomness import Seeded
from sottovoce.experiments.curves import Curve
from sottovoce.experiments.draws import Errors, repeat
from sottovoce.experiments.numbers import Numbers

__all__ = ["Curves", "Swept", "sweep"]

Curves = dict[tuple[str, str], Curve]
"""By data set and measure."""


class Swept(Protocol):
    """A cell: one data set, one x."""

    @property
    def data(self) -> Numbers:
        """Whose numbers are asked."""

    @property
    def measures(self) -> Sequence[tuple[str, tuple[str, ...]]]:
        """What is measured, and the lines of each."""

    def draw(self, source: Seeded) -> Errors:
        """The errors of one drawing, by measure."""


def sweep(
    cells: Sequence[Swept],
    repeats: int,
    *,
    what: str,
    name: str,
    by: str,
    xs: Sequence[float],
    **how: Any,
) -> Curves:
    """A curve a data set and measure; cells go through all xs of one set before the next."""
    found, curves = iter(repeat(_drawing, cells, repeats, what=what, **how)), {}
    places = tuple(map(float, xs))
    for first in cells[:: len(xs)]:
        errors = [next(found) for _ in xs]
        for measure, lines in first.measures:
            values = np.stack([each[measure] for each in errors])
            key = first.data.name, f"{name}-{measure}"
            curves[key] = Curve(*key, by, places, lines, values)
    return curves


def _drawing(cell: Swept) -> Callable[[Seeded], Errors]:
    return cell.draw

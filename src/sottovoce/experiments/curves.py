"""Measured errors: by method, along a line of epsilons, set sizes or counts, once a repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats

__all__ = ["Curve", "Quotient", "quotient"]


@dataclass(frozen=True, eq=False)
class Curve:
    """The errors of ``methods`` on one data set in one measure; ``values[x, method, repeat]``."""

    dataset: str
    measure: str
    by: str
    """What varies along the curve, such as "epsilon"."""
    xs: tuple[float, ...]
    methods: tuple[str, ...]
    values: Floats

    def at(self, x: float, method: str) -> Floats:
        """One error a repeat."""
        if x not in self.xs or method not in self.methods:
            raise InvalidInput("point", f"curve of {self.measure}", "measured", (x, method))
        found: Floats = self.values[self.xs.index(x), self.methods.index(method)]
        return found

    def mean(self, x: float, method: str) -> float:
        """The mean error over repeats."""
        return float(self.at(x, method).mean())

    @property
    def means(self) -> Floats:
        """Mean errors, ``[x, method]``."""
        return np.asarray(self.values.mean(axis=-1))

    @property
    def deviations(self) -> Floats:
        """Standard deviations over repeats, ``[x, method]``."""
        return np.asarray(self.values.std(axis=-1, ddof=1))

    def document(self) -> dict[str, Any]:
        """The curve in numbers and strings, for a JSON file."""
        return {
            "dataset": self.dataset,
            "measure": self.measure,
            "by": self.by,
            "x": list(self.xs),
            "mean": {m: self.means[:, i].tolist() for i, m in enumerate(self.methods)},
            "deviation": {m: self.deviations[:, i].tolist() for i, m in enumerate(self.methods)},
        }


@dataclass(frozen=True)
class Quotient:
    """A number measured with noise."""

    value: float
    stderr: float


def quotient(above: Sequence[Floats], below: Sequence[Floats]) -> Quotient:
    """The product of the means ``above`` over that of the means ``below``, and its standard error.

    Each array has one number a repeat.  What the r-th repeat adds to the logarithm
    is ``sum a_r / mean(a) - sum b_r / mean(b)``; as the methods saw the same
    tallies, much of their noise cancels, and what is left is the standard error.
    """
    repeats = len(above[0])
    if repeats < 2:
        raise InvalidInput("repeats", "quotient", "at least 2", repeats)
    tops, bottoms = [float(a.mean()) for a in above], [float(b.mean()) for b in below]
    if min(bottoms) <= 0 or min(tops) <= 0:
        return Quotient(float("inf") if min(tops) > 0 else 0.0, 0.0)
    value = float(np.prod(tops) / np.prod(bottoms))
    cell_weights = sum((a / m for a, m in zip(above, tops, strict=True)), np.zeros(repeats))
    losses = sum((b / m for b, m in zip(below, bottoms, strict=True)), np.zeros(repeats))
    spread = float(np.std(cell_weights - losses, ddof=1)) / np.sqrt(repeats)
    return Quotient(value, float(value * spread))

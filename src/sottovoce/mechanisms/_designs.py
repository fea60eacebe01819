"""The designs of a record: which sets of questions there are, answered how, with which errors.

All that follows from the sizes of the questions, epsilon and the name of a design; no weights are made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from sottovoce.base.checks import MIN_EPSILON
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import MOST_CELLS
from sottovoce.mechanisms._level_oracle import best_hash_range, part_of_epsilon
from sottovoce.mechanisms._parity_channel import order_above
from sottovoce.mechanisms._set_rates import (
    SetErrors,
    design_errors,
    design_rates,
    expected_variances,
)
from sottovoce.mechanisms.local_hashing import cells_of_range

__all__ = ["DESIGNS", "MOST_APART", "Design", "best_design"]

DESIGNS = ("sample", "pairs", "mixed", "parities", "joint", "split")
MOST_APART = 512
"""Answers to each question at most with "split": as many as have errors with all covariances."""
_ORDERS = {"sample": (1,), "pairs": (2,), "mixed": (1, 2), "parities": (1, 2)}


@dataclass(frozen=True)
class Design:
    """A design for questions of these sizes at an epsilon."""

    name: str
    sizes: tuple[int, ...]
    epsilon: float

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of questions, by position: single ones first, then pairs."""
        questions = range(len(self.sizes))
        orders = _ORDERS.get(self.name, (len(questions),))
        return tuple(asked for order in orders for asked in combinations(questions, order))

    def shape(self, asked: tuple[int, ...]) -> tuple[int, ...]:
        """The number of answers to each question of a set."""
        return tuple(self.sizes[question] for question in asked)

    @cached_property
    def set_sizes(self) -> tuple[int, ...]:
        """The cells of the table of every set."""
        return tuple(math.prod(self.shape(asked)) for asked in self.sets)

    @property
    def apart(self) -> bool:
        """Whether every answer has its own response."""
        return self.name == "split"

    @property
    def response_sizes(self) -> tuple[int, ...]:
        """The number of values of everything that is answered at once."""
        return self.sizes if self.apart else self.set_sizes

    @property
    def response_epsilon(self) -> float:
        """What goes into each of them."""
        return part_of_epsilon(self.epsilon, len(self.sizes) if self.apart else 1)

    @cached_property
    def best_ranges(self) -> tuple[int, ...]:
        """Hash ranges of least variance, as far as the cells of answers apart fit in a tally."""
        if self.name == "parities":
            return (2,) * len(self.response_sizes)
        best = {
            size: best_hash_range(size, self.response_epsilon) for size in {*self.response_sizes}
        }
        ranges = tuple(best[size] for size in self.response_sizes)
        return (0,) * len(ranges) if self.apart and self.cells_of(ranges) > MOST_CELLS else ranges

    def cells_of(self, ranges: Sequence[int]) -> int:
        """The cells of a tally."""
        cells = [
            cells_of_range(size, g) if g else size
            for size, g in zip(self.response_sizes, ranges, strict=True)
        ]
        if self.apart:
            return math.prod(cells)
        if self.name == "parities":
            for number, asked in enumerate(self.sets):
                if len(asked) == 2:
                    orders = [order_above(size) for size in self.shape(asked)]
                    cells[number] = 2 * (orders[0] - 1) * (orders[1] - 1)
        return sum(cells)

    @property
    def fits(self) -> bool:
        """Whether tallies of it are allowed, with the ranges of least variance."""
        if self.apart and (max(self.sizes) > MOST_APART or self.response_epsilon < MIN_EPSILON):
            return False
        if max(self.set_sizes) > MOST_CELLS:
            return False
        return self.cells_of(self.best_ranges) <= MOST_CELLS

    def errors(self, ranges: Sequence[int]) -> SetErrors:
        """What its errors are made of."""
        return design_errors(self.name, self.sizes, self.sets, ranges, self.response_epsilon)

    def expected_variances(self) -> tuple[Floats, Floats]:
        """Those of the mechanism with these ranges and its own rates."""
        errors = self.errors(self.best_ranges)
        return expected_variances(errors, design_rates(errors))


def best_design(sizes: tuple[int, ...], epsilon: float) -> str:
    """Of all that fit, the one with the least product of the mean errors of shares and of cells."""
    found: dict[str, float] = {}
    for name in DESIGNS:
        design = Design(name, sizes, epsilon)
        if design.fits:
            parts, tables = design.expected_variances()
            found[name] = float(np.sqrt(parts).mean() * np.sqrt(tables).mean())
    return min(found, key=found.__getitem__) if found else "sample"

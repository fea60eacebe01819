"""Is the design that a plan chooses near the best in hindsight?

Surveys of people whose answers depend on each other are simulated with every design that fits; the error
of a design is the root of the mean squared error of a table's cell, on average over pairs of questions.
The plan knows only the sizes, epsilon and that tables are wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import sottovoce as sv
from benchmarks.records.people import Tables, laplace_people, truths
from sottovoce.base.errors import InvalidInput

__all__ = ["CELLS", "Row", "compare"]

CELLS = [(k, d, epsilon) for k in (3, 5, 10) for d in (2, 5, 20) for epsilon in (1.0, 2.0)]
_DESIGNS = ("pairs", "mixed", "parities", "joint", "split")
_PEOPLE = 50_000
_SQUARES = 1500
"""Independent squared errors wanted: an error's own error is then about 2%."""


@dataclass(frozen=True)
class Row:
    """Measured errors of all designs, and what the plan chose."""

    questions: int
    answers: int
    epsilon: float
    errors: dict[str, float]
    chosen: str

    @property
    def over_best(self) -> float:
        """The error of the chosen design, over the least of all."""
        return self.errors[self.chosen] / min(self.errors.values())


def compare() -> Iterator[Row]:
    """All cells of the comparison."""
    for k, d, epsilon in CELLS:
        record = sv.Record({f"q{i}": sv.Categories(d) for i in range(k)})
        rows = laplace_people(_PEOPLE, k, d, seed=k * d)
        true = truths(rows, d)
        repeats = max(2, math.ceil(_SQUARES / (len(true) * (d - 1) ** 2)))
        errors = {}
        for design in _DESIGNS:
            try:
                mechanism = sv.mechanism("record", record, epsilon, design=design)
            except InvalidInput:
                continue
            errors[design] = _error(mechanism, rows, true, repeats)
        chosen = sv.plan(record, epsilon=epsilon, users=_PEOPLE, goal="tables").best
        yield Row(k, d, epsilon, errors, chosen.design)


def _error(mechanism: sv.Mechanism, rows: np.ndarray, true: Tables, repeats: int) -> float:
    squares = np.zeros(len(true))
    for seed in range(repeats):
        found = tables_of(mechanism, rows, seed)
        squares += [np.mean((found[pair] - table) ** 2) for pair, table in true.items()]
    return float(np.sqrt(squares / repeats).mean())


def tables_of(mechanism: sv.Mechanism, rows: np.ndarray, seed: int) -> Tables:
    """The unbiased table of every two questions, from reports of these people."""
    reports = mechanism.randomize_positions(rows, sv.Seeded(seed))
    estimate = sv.estimate(mechanism.tally(reports), "unbiased")
    names = mechanism.domain.names
    pairs = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
    return {(a, b): estimate.table(names[a], names[b]).shares for a, b in pairs}

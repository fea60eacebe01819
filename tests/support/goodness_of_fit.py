"""Whether a tally follows the law of its mechanism: compared with reports that Python draws for the same people.

Cells of a tally may depend on each other (a report of unary encoding falls in one cell for each value), so
the test is Hotelling's: the distance of the tally's cells to their mean, in units of their covariance. Mean
and covariance are those of many small batches of the same people.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import sottovoce as sv

__all__ = ["p_value"]

BATCHES, PEOPLE = 1000, 200
FEATURES = 32
"""Neighbouring cells are added up until at most so many are left."""


def p_value(tally: sv.Tally, values: list[Any], seed: int) -> float:
    """How likely reports of people who hold ``values``, each equally often, are as far from the law as these."""
    mechanism = tally.mechanism
    people = values * (PEOPLE // len(values))
    reports = mechanism.randomize(people * BATCHES, source=sv.Seeded(seed))
    batches = np.array(
        [
            _features(mechanism.tally(reports[i : i + len(people)]).cells)
            for i in range(0, len(reports), len(people))
        ]
    )
    mean, covariance = batches.mean(axis=0), np.cov(batches.T)
    scale = tally.n / len(people)
    apart = _features(tally.cells) - scale * mean
    # The mean is itself known from BATCHES batches: its error is added to that of the tally.
    inverse = np.linalg.pinv(scale * (1 + scale / BATCHES) * covariance, rcond=1e-9, hermitian=True)
    rank = int(np.linalg.matrix_rank(inverse, hermitian=True))
    distance = float(apart @ inverse @ apart)
    fisher = distance * (BATCHES - rank) / (rank * (BATCHES - 1))
    return float(stats.f.sf(fisher, rank, BATCHES - rank))


def _features(cells: NDArray[Any]) -> NDArray[np.float64]:
    starts = np.unique(np.linspace(0, len(cells), FEATURES, endpoint=False).astype(int))
    return np.add.reduceat(cells, starts).astype(np.float64)

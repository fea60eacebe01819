"""People who answer several questions that depend on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["laplace_people", "truths"]

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Tables = dict[tuple[int, int], Floats]

_CORRELATION, _WIDTH = 0.8, 4.0


def laplace_people(people: int, questions: int, answers: int, seed: int) -> Rows:
    """Answers on a line, a row per person: multivariate Laplace, every two correlated by 0.8.

    Values from -4 to 4 standard deviations are cut into equal bins; those beyond go to the ends.
    """
    random = np.random.default_rng(seed)
    covariance = np.full((questions, questions), _CORRELATION)
    np.fill_diagonal(covariance, 1.0)
    normal = random.multivariate_normal(np.zeros(questions), covariance, size=people)
    values = normal * np.sqrt(random.exponential(1.0, size=(people, 1)))
    bins = np.floor((values + _WIDTH) / (2 * _WIDTH) * answers).astype(np.int64)
    return np.clip(bins, 0, answers - 1)


def truths(rows: Rows, answers: int) -> Tables:
    """The true table of every two questions."""
    questions = range(rows.shape[1])
    found = {}
    for a in questions:
        for b in range(a + 1, len(questions)):
            cells = np.bincount(rows[:, a] * answers + rows[:, b], minlength=answers**2)
            found[a, b] = cells.reshape(answers, answers) / len(rows)
    return found

"""Error bars of ``adaptive``: how far the truth may be, by the priors that explain the reports.

Under one prior, with J the derivative of the cells' shares in z and H the curvature (see
:mod:`sottovoce.estimators.smooth.map_fit`), the shares of a *population* given the reports have
the covariance

    P = J H^-1 J',

which holds the noise and, because H holds the prior, what smoothing may have taken away.

The shares of these *respondents* differ from it by a draw of n people, covariance
``S = (diag(w) - w w') / n``.  The reports saw that draw: an estimate follows a change of the
respondents by ``M = J H^-1 J' A' diag(n / A w) A``.  Its error about them, with z, the draw and the
randomization independent, comes to

    C = P + S - M S - S M':

P - S where the reports tell everything (M = I), and P + S where they tell nothing of the draw.

Several priors are mixed by their probability, and the spread of their fits is added.  Inside a cell
of several values nothing is told of the draw, so that there ``S`` alone remains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats
from sottovoce.estimators.consistency.projections import project_to_simplex
from sottovoce.estimators.smooth.map_fit import Penalised
from sottovoce.estimators.smooth.prior_search import PriorSearch

__all__ = ["Posterior"]

_ROUGHER = 0.5
"""Levels by which the truth is taken to be rougher than the prior that explains the reports best.

The best prior is one of many that do nearly as well, and real data are seldom equally rough
everywhere; without this, intervals of narrow ranges are too short.
"""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The error of ``shares``, fitted on cells between ``edges``."""

    search: PriorSearch
    edges: NDArray[np.int64]
    shares: Floats

    @property
    def _n(self) -> float:
        return float(self.search.problem.counts.sum())

    @cached_property
    def _cell(self) -> NDArray[np.int64]:
        """The cell of every value."""
        return np.repeat(np.arange(len(self.edges) - 1), np.diff(self.edges))

    @cached_property
    def _cells(self) -> Floats:
        return np.add.reduceat(self.shares, self.edges[:-1])

    @cached_property
    def _inside(self) -> Floats:
        """The part of its cell that every value has."""
        width = np.diff(self.edges)[self._cell]
        total = self._cells[self._cell]
        return np.divide(self.shares, total, out=1.0 / width, where=total > 0)

    @cached_property
    def _population(self) -> Floats:
        with one_product_thread():
            return self._mixed(self._about_population)

    @cached_property
    def _respondents(self) -> Floats:
        with one_product_thread():
            return self._mixed(self._about_respondents)

    def _mixed(self, covariance: Callable[[Penalised], Floats]) -> Floats:
        mean = self.search.mean()
        mixed = np.zeros((len(mean), len(mean)))
        for probability, one in self.search.probabilities():
            apart = one.shares - mean
            mixed += probability * (covariance(one) + np.outer(apart, apart))
        return mixed

    def _about_population(self, one: Penalised) -> Floats:
        return self.search.problem.covariance(one, _ROUGHER)

    def _about_respondents(self, one: Penalised) -> Floats:
        posterior = self._about_population(one)
        matrix = self.search.problem.matrix
        draw = (np.diag(one.shares) - np.outer(one.shares, one.shares)) / self._n
        told = matrix.T @ ((self._n / (matrix @ one.shares))[:, None] * matrix)
        followed = posterior @ told @ draw
        return posterior + draw - followed - followed.T

    def _covariance(self, about: str) -> Floats:
        return self._population if about == "population" else self._respondents

    def draws(self, count: int, random: Any) -> list[Floats]:
        """Distributions that could have given these reports: of the normal law, made positive."""
        values, vectors = np.linalg.eigh(self._population)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = self._cells + random.normal(size=(count, len(values))) @ root.T
        return [project_to_simplex(row)[self._cell] * self._inside for row in drawn]

    def stderr(self, about: str) -> Floats:
        variance = self._inside**2 * np.diag(self._covariance(about))[self._cell]
        if about == "respondents":
            variance = variance + self.shares * (1 - self._inside) / self._n
        return np.sqrt(np.maximum(variance, 0.0))

    def stderr_of(self, weights: Floats, about: str) -> float:
        begins = self.edges[:-1]
        mean = np.add.reduceat(self._inside * weights, begins)
        variance = float(mean @ self._covariance(about) @ mean)
        if about == "respondents":
            apart = weights - mean[self._cell]
            variance += float(self.shares @ apart**2) / self._n
        return float(np.sqrt(max(variance, 0.0)))

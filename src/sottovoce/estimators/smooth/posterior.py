"""The estimate of ``adaptive`` and its errors, by the priors that explain the reports.

Under one prior, with J the derivative of the cells' shares in z and H the curvature (see
:mod:`sottovoce.estimators.smooth.map_fit`), the shares w of a *population* given the reports have
the covariance

    P = J H^-1 J',

which holds the noise and, because H holds the prior, what smoothing may have taken away.

The shares r of these *respondents* are a draw of n people, with covariance ``S = (diag(w) - w w') / n``
around w.  With the log-likelihood l(w) of :mod:`sottovoce.estimators.smooth.information`, gradient
``g = l'(w)`` and curvature M, they are given the reports and w normal around ``w + S g`` with covariance
``S - S M S`` (a pass of EM from w, which is where people are expected given their reports).  Put in at the
fit this is the estimate: next to w where noise is large, next to the histogram of the reports where it is
small.  Its error has the covariance

    S - S M S + (I - S M) P (I - M S)      about the respondents: 0 where the reports say everything,
    P + S (M - M P M) S                    about the population.

Where slopes say nothing, an answer's error is at least what likely distributions show
(:mod:`sottovoce.estimators.smooth.reach`).

Several priors are mixed by their probability, and the spread of their fits around the mean is added.  The
uniform distribution pulls the mean towards itself where reports say little, and the pull counts as an error:
its own certainty is left out.  Inside a cell of
several values the reports say nothing of the draw, so that there ``S`` alone remains, with the allowance for
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.simplex import project_to_simplex
from sottovoce.base.threads import one_product_thread
from sottovoce.channels.base import Floats
from sottovoce.estimators.smooth.coarsening import expand
from sottovoce.estimators.smooth.information import Parabola
from sottovoce.estimators.smooth.map_fit import Penalised
from sottovoce.estimators.smooth.prior_search import PriorSearch
from sottovoce.estimators.smooth.reach import variance_beyond_slopes

__all__ = ["Posterior"]

_MOST = 0.9
"""Probability of the priors whose covariances are averaged; the spread of fits is over all."""

_ROUGHER = 0.75
"""Levels by which the truth is taken to be rougher than the prior that explains the reports best.

Real data are seldom equally rough everywhere.
"""

_HEAPED = 0.2 / 16
"""Scatter that errors allow for at least, times the root of the number of cells: 20% of 256.

People round their numbers, and noise that reaches over many cells hides it: wages, ages and distances in
75 to 256 bins depart from a smooth curve by 10 to 25%.  Where the reports do tell single cells, this
allowance has no effect.
"""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The shares of ``n`` respondents and their errors, from priors tried on cells between ``edges``."""

    search: PriorSearch
    around: Parabola
    """The log-likelihood near w, the mean of all fits."""
    edges: NDArray[np.int64]
    n: float

    @cached_property
    def shares(self) -> Floats:
        """``w + S g``, of the respondents."""
        mean, pull = self.around.at, self.around.slope
        moved = np.maximum(mean + mean * (pull - pull @ mean) / self.n, 0.0)
        return expand(moved / moved.sum(), self.edges)

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
    def _most(self) -> list[tuple[float, Penalised]]:
        """The fits that hold most of the probability, with what each has of it."""
        fits = self.search.probabilities(uniform=False)
        count = 1 + int(np.searchsorted(np.cumsum([p for p, _ in fits]), _MOST))
        total = sum(p for p, _ in fits[:count])
        return [(p / total, one) for p, one in fits[:count]]

    @cached_property
    def _population(self) -> Floats:
        """P, over the priors that hold most of the probability, and the spread of all fits."""
        mean, problem = self.around.at, self.search.problem
        fits, most = self.search.probabilities(uniform=False), self._most
        chances = np.array([p for p, _ in fits])
        mixed, heaped = np.zeros((len(mean), len(mean))), _HEAPED * len(mean) ** 0.5
        with one_product_thread():
            for chance, one in most:
                mixed += chance * problem.covariance(one, _ROUGHER, heaped)
        apart = np.stack([one.shares - mean for _, one in fits])
        return mixed + (chances[:, None] * apart).T @ apart

    @cached_property
    def _followed(self) -> Floats:
        """``S M``: how the estimate follows a change of the respondents that the fit does not."""
        bend, shares = self.around.bend, self.around.at
        return (shares[:, None] * bend - np.outer(shares, shares @ bend)) / self.n

    @cached_property
    def _about_population(self) -> Floats:
        """``P + S M S - S M P M S``."""
        followed, smooth = self._followed, self._population
        return smooth + self._times_draw(followed) - followed @ smooth @ followed.T

    @cached_property
    def _about_respondents(self) -> Floats:
        """``S - S M S + (I - S M) P (I - M S)``."""
        left = np.eye(len(self._followed)) - self._followed
        return self._times_draw(left) + left @ self._population @ left.T

    def _times_draw(self, matrix: Floats) -> Floats:
        """``B S``."""
        shares = self.around.at
        return (matrix * shares - np.outer(matrix @ shares, shares)) / self.n

    def _covariance(self, about: str) -> Floats:
        return self._about_population if about == "population" else self._about_respondents

    def draws(self, count: int, random: Any) -> list[Floats]:
        """Distributions that could have given these reports: of the normal law, made positive."""
        values, vectors = np.linalg.eigh(self._about_population)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = self._cells + random.normal(size=(count, len(values))) @ root.T
        return [project_to_simplex(row)[self._cell] * self._inside for row in drawn]

    @property
    def _heaped_inside(self) -> float:
        """The square of what values scatter beyond what their cells do, in parts of them."""
        return _HEAPED**2 * (len(self.shares) - len(self.edges) + 1)

    def stderr(self, about: str) -> Floats:
        variance = self._inside**2 * np.diag(self._covariance(about))[self._cell]
        variance = variance + self._heaped_inside * (self.shares * (1 - self._inside)) ** 2
        if about == "respondents":
            variance = variance + self.shares * (1 - self._inside) / self.n
        return np.sqrt(np.maximum(variance, 0.0))

    def stderr_of(self, weights: Floats, about: str) -> float:
        begins = self.edges[:-1]
        mean = np.add.reduceat(self._inside * weights, begins)
        apart = weights - mean[self._cell]
        variance = float(mean @ self._covariance(about) @ mean)
        with one_product_thread():
            variance += variance_beyond_slopes(self.search.problem, self._most, mean)
        variance += self._heaped_inside * float(np.sum((self.shares * apart) ** 2))
        if about == "respondents":
            variance += float(self.shares @ apart**2) / self.n
        return float(np.sqrt(max(variance, 0.0)))

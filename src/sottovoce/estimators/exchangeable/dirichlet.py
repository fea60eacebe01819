"""Exchangeable values through any channel: Dirichlet priors, their concentration weighed by evidence.

With the prior ``p(w) ~ prod w^(a-1)`` and in coordinates ``w = softmax(z)``, the most probable
distribution maximises

    F(w) = l(w) + a sum log w,

l being the log-likelihood: concave, and climbed by passes of EM that add a to every value,
``w <- (N w ratio + a) / (N + d a)``.  Where every report tells its value this is the posterior mean
itself.  The curvature in z is

    C = J H J + a Q'Q,     J = diag(w) - w w',   Q = I - 1 w',   H = A' diag(c / (A w)^2) A,

and Laplace's approximation gives the evidence of a, up to a constant that all share,

    log p(c | a)  ~  F - log det(C)/2 + log Gamma(d a) - d log Gamma(a).

The answer is the mean over all a, weighted by evidence; its covariance is ``J C^-1 J``, averaged in
the same way, and the spread of the fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.channels.rows import Rows
from sottovoce.estimators.covariance_errors import CovarianceErrors, respondents_covariance
from sottovoce.estimators.likelihood.acceleration import accelerated
from sottovoce.estimators.likelihood.base import first_shares
from sottovoce.estimators.likelihood.interior_point import DenseLikelihood, inverse_factor
from sottovoce.estimators.observed import Observations

__all__ = ["Concentrated", "Concentrations", "concentrate"]

CONCENTRATIONS = tuple(10.0 ** (k / 5) for k in range(-10, 16))
_FIRST = CONCENTRATIONS.index(1.0)
_SLACK = 8.0
"""Concentrations whose evidence is so much less than the best one's end the walk."""
_GAP, _PASSES = 1e-3, 4000
_NEGLIGIBLE = 1e-3


@dataclass(frozen=True, eq=False)
class Concentrated:
    """The most probable distribution under one concentration."""

    concentration: float
    shares: Floats
    log_marginal: float
    gap: float
    passes: int


@dataclass(frozen=True, eq=False)
class Concentrations(CovarianceErrors):
    """The fits under all concentrations that matter, and the errors of their mean."""

    problem: Rows
    fits: tuple[Concentrated, ...]

    @cached_property
    def probabilities(self) -> Floats:
        """Of the concentrations, given the reports."""
        log_marginals = np.array([one.log_marginal for one in self.fits])
        weights = np.exp(log_marginals - log_marginals.max())
        return weights / weights.sum()

    @cached_property
    def shares(self) -> Floats:
        """The mean over all fits."""
        mean: Floats = self.probabilities @ np.array([one.shares for one in self.fits])
        return mean / mean.sum()

    def covariance(self, about: str) -> Floats:
        """Of all shares: what each fit says, and how they differ."""
        mixed = np.zeros((len(self.shares), len(self.shares)))
        odds = self.probabilities
        for k in np.flatnonzero(odds >= _NEGLIGIBLE * odds.max()):
            apart = self.fits[k].shares - self.shares
            mixed += odds[k] * (self._covariance(self.fits[k], about) + np.outer(apart, apart))
        return mixed

    def _covariance(self, one: Concentrated, about: str) -> Floats:
        w, information = one.shares, self.problem.curvature(one.shares)
        root = inverse_factor(_curvature(information, w, one.concentration))
        slopes = w[:, None] * root.T
        slopes -= np.outer(w, slopes.sum(axis=0))
        posterior: Floats = slopes @ slopes.T
        if about == "population":
            return posterior
        return respondents_covariance(posterior, information, w, self.problem.total)

    @property
    def best(self) -> str:
        """The most probable prior, in words."""
        one = self.fits[int(np.argmax(self.probabilities))]
        return f"Dirichlet's of concentration {one.concentration:.2g}"


def concentrate(observed: Observations, meter: Meter) -> Concentrations:
    """Fits from concentration 1 up and down, until one is not probable any more."""
    start = first_shares(observed, None, "exchangeable")
    problem = observed.rows or DenseLikelihood(observed.channel.dense(), observed.cells)
    fits = [_fit(problem, 1.0, start)]
    for way in (CONCENTRATIONS[_FIRST + 1 :], CONCENTRATIONS[:_FIRST][::-1]):
        near = fits[0].shares
        for concentration in way:
            fits.append(_fit(problem, concentration, near))
            near = fits[-1].shares
            best = max(one.log_marginal for one in fits)
            meter.show(len(fits), best)
            if fits[-1].log_marginal < best - _SLACK:
                break
    return Concentrations(problem, tuple(fits))


def _fit(problem: Rows, a: float, near: Floats) -> Concentrated:
    size = len(near)
    total = problem.total + size * a

    def step(shares: Floats) -> tuple[Floats, float]:
        ratio, likelihood = problem.em_step(shares)
        raised = (problem.total * ratio + a / shares) / total
        return raised, likelihood + a * float(np.log(shares).sum())

    found = accelerated(step, total, near, gap=_GAP, most=_PASSES)
    shares = found.shares
    factor = inverse_factor(_curvature(problem.curvature(shares), shares, a))
    log_det = -2 * float(np.log(np.diag(factor)).sum())
    prior = math.lgamma(size * a) - size * math.lgamma(a)
    value = step(shares)[1] - log_det / 2 + prior
    return Concentrated(a, shares, value, found.gap, len(found.history))


def _curvature(information: Floats, w: Floats, a: float) -> Floats:
    """C, and 1 along equal z, which nothing bends: it leaves the determinant as it is."""
    bent = w[:, None] * information * w
    rows = bent.sum(axis=0)
    size, cross = len(w), np.outer(w, rows)
    curvature = bent - cross - cross.T + rows.sum() * np.outer(w, w)
    curvature += a * (size * np.outer(w, w) - w - w[:, None]) + 1 / size
    curvature[np.diag_indices(size)] += a
    return curvature

"""Penalised likelihood under one prior, and how well the prior explains the reports.

With the prior of :mod:`sottovoce.estimators.smooth.priors` the reports ``c`` (n in all) ask for

    minimise  L(z) = n sum(w) - c . log(A w) + |z|^2 / 2,     w_j = h_j g((Phi z)_j).

The first two terms are the likelihood of independent Poisson counts, which a free constant makes
the multinomial one; the last is the prior.  Newton steps use the expected (Fisher) curvature

    H = J' A' diag(n / A w) A J + I,     J = diag(h g') Phi,

which is positive definite, and are halved until L falls.  Laplace's approximation of the integral
over z gives the *evidence* of the prior, up to a constant that all priors share:

    log p(c | prior)  ~  n - L(z) - log det(H) / 2,

to which the odds of its roughness are added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.smooth.priors import Smoothness, inverse_link, link, prior_functions

__all__ = ["Penalised", "Problem"]

_LARGEST_RISE = 2.0
"""How far a logarithm may rise in one step."""

_STEPS = 40
_ENOUGH = 0.01
"""Twice the decrease of L that a last step may still promise."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Reports ``counts`` over the rows of ``matrix``, whose columns are cells of the axis."""

    matrix: Floats
    counts: Floats
    widths: Floats
    """Of the cells; together 1."""
    centres: Floats
    cumulative: Floats
    """First estimate of the cumulative distribution, at the centres."""
    ring: bool = False

    def functions(self, smoothness: Smoothness) -> Floats:
        """``Phi``: the prior's functions on the cells, each times its deviation."""
        places = (1 - smoothness.warp) * self.centres + smoothness.warp * self.cumulative
        functions, deviations = prior_functions(smoothness, places, self.ring)
        return functions * deviations

    def objective(self, smoothness: Smoothness, functions: Floats, z: Floats) -> float:
        """``L(z)``."""
        return _State(self, smoothness, functions, z).value

    def gradient(self, smoothness: Smoothness, functions: Floats, z: Floats) -> Floats:
        """The derivative of L."""
        return _State(self, smoothness, functions, z).gradient()

    def solve(self, smoothness: Smoothness, near: Floats, *, enough: float = _ENOUGH) -> Penalised:
        """The minimum of L, found from the shares ``near``, and the prior's evidence."""
        functions = self.functions(smoothness)
        state = _State(self, smoothness, functions, self._start(smoothness, functions, near))
        steps, promised = 0, np.inf
        while promised >= enough and steps < _STEPS:
            steps += 1
            gradient, curvature = state.gradient(), state.curvature()
            step = -_solution(curvature, gradient)
            promised = float(-gradient @ step)
            moved = state.towards(step, promised)
            if moved is None:
                break
            state = moved
        logdet = float(np.linalg.slogdet(curvature)[1])
        log_marginal = float(self.counts.sum()) - state.value - logdet / 2 + smoothness.log_odds
        shares = state.shares / state.shares.sum()
        return Penalised(smoothness, shares, log_marginal, steps, promised, state.z)

    def covariance(self, fit: Penalised, rougher: float = 0.0) -> Floats:
        """``J H^-1 J'``: of the cells' shares, scaled to sum to 1, at the shares of ``fit``.

        Under the prior of the fit, or one that is some levels ``rougher``.
        """
        _, heights = link(fit.smoothness.link, self.functions(fit.smoothness) @ fit.z)
        prior = replace(fit.smoothness, level=fit.smoothness.level + rougher)
        slopes = (self.widths * heights)[:, None] * self.functions(prior)
        root = np.sqrt(self.counts.sum() / (self.matrix @ fit.shares))[:, None]
        curvature = _curvature(root * (self.matrix @ slopes))
        slopes -= np.outer(fit.shares, slopes.sum(axis=0))
        return slopes @ _solution(curvature, slopes.T)

    def _start(self, smoothness: Smoothness, functions: Floats, near: Floats) -> Floats:
        """The z whose shares are about ``near``: least squares weighted by mass, with a ridge."""
        aim = inverse_link(smoothness.link, near / self.widths)
        weights = np.maximum(near, 0.05 * self.widths)[:, None] * len(near)
        normal = functions.T @ (weights * functions)
        normal[np.diag_indices_from(normal)] += 0.1
        return _solution(normal, functions.T @ (weights[:, 0] * aim))


def _curvature(root: Floats) -> Floats:
    """``R'R + I``."""
    curvature: Floats = root.T @ root
    curvature[np.diag_indices_from(curvature)] += 1.0
    return curvature


def _solution(matrix: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Penalised:
    """The most probable distribution under one prior, and the evidence for it."""

    smoothness: Smoothness
    shares: Floats
    log_marginal: float
    steps: int
    promised: float
    """Decrease of twice L that one more step would promise, at most about what is missing."""
    z: Floats


class _State:
    """L and what its derivatives need, at one z."""

    def __init__(
        self, problem: Problem, smoothness: Smoothness, functions: Floats, z: Floats
    ) -> None:
        self.problem, self.smoothness, self.functions, self.z = problem, smoothness, functions, z
        heights, slopes = link(smoothness.link, functions @ z)
        self.shares = problem.widths * heights
        self._slopes = problem.widths * slopes
        self._expected = problem.matrix @ self.shares
        self._n = problem.counts.sum()
        fit = self._n * self.shares.sum() - problem.counts @ np.log(self._expected)
        self.value = float(fit + z @ z / 2)

    def gradient(self) -> Floats:
        quotient = self.problem.counts / self._expected
        pull = self._slopes * (self._n - self.problem.matrix.T @ quotient)
        gradient: Floats = self.functions.T @ pull + self.z
        return gradient

    def curvature(self) -> Floats:
        scale = np.sqrt(self._n / self._expected)[:, None]
        return _curvature(scale * (self.problem.matrix @ (self._slopes[:, None] * self.functions)))

    def towards(self, step: Floats, promised: float) -> _State | None:
        """The state along ``step`` where L has fallen; None where rounding hides the fall."""
        length = 1.0
        if self.smoothness.link == "log":
            length /= max(1.0, float((self.functions @ step).max()) / _LARGEST_RISE)
        while length > 1e-6:
            moved = _State(self.problem, self.smoothness, self.functions, self.z + length * step)
            if moved.value <= self.value - 1e-4 * length * promised:
                return moved
            length /= 2
        return None

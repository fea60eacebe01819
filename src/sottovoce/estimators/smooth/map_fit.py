"""The most probable distribution under one prior, and how well the prior explains the reports.

With a prior of :mod:`sottovoce.estimators.smooth.priors` and *atoms*, cells that hold people of
their own besides the smooth part, the cells' shares are

    w = (1 - sum(a)) s + E a,     s = h o g(Phi z) / sum(h o g(Phi z)),

z standard normal and atoms' shares ``a`` exponential with a common, unknown mean, of density p(a).  With the
log-likelihood l of :mod:`sottovoce.estimators.smooth.information` the fit asks for

    minimise  L(z, a) = -l(w) + |z|^2 / 2 - log p(a).

Newton steps use the expected (Fisher) curvature

    H = J' M J + diag(1, 0),     J the derivative of w,

which is positive definite, with what the bend of g adds to it, and are halved until L falls.  Laplace's approximation of the integral
over z and a gives the marginal likelihood of the prior with k atoms, up to a constant that all share:

    log p(c | prior, atoms)  ~  -L - log det(H) / 2 + k log(2 pi) / 2,

to which the odds of the prior are added.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.domains.base import Indices
from sottovoce.estimators.smooth.information import Parabola, solved
from sottovoce.estimators.smooth.priors import ATOM, Axis, Smoothness, inverse_link, link

__all__ = ["ENOUGH", "Penalised", "Problem", "State"]

_LARGEST_RISE = 2.0
"""How far a logarithm may rise in one step."""

_STEPS = 30
ENOUGH = 0.1
"""Twice the decrease of L that a last step may still promise."""


_LEAST_ATOM, _MOST_ATOMS = 1e-4, 0.999
"""Least share of an atom, greatest of all together."""
_HELD = 1e15
"""Curvature along which nothing moves."""
_FAINT = 0.02
"""Functions that the reports tell so little of, in parts of their prior precision, are left out."""


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
    """Of the functions, then the shares of atoms."""
    smooth: Floats
    """The shares without what cells scatter."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A log-likelihood over cells of an ``axis``, some of which are ``atoms``."""

    parabola: Parabola
    axis: Axis
    atoms: Indices
    _told: dict[tuple[str, int, float, float], Floats] = field(default_factory=dict)
    _scattered: dict[float, tuple[Parabola, Floats]] = field(default_factory=dict)

    def of_smooth(self, scatter: float) -> Parabola:
        """The log-likelihood of the smooth part, what cells scatter integrated out."""
        return self._with_scatter(scatter)[0] if scatter else self.parabola

    def _with_scatter(self, scatter: float) -> tuple[Parabola, Floats]:
        if scatter not in self._scattered:
            self._scattered[scatter] = self.parabola.scattered(scatter * self.axis.moves)
        return self._scattered[scatter]

    def with_atoms(self, atoms: Indices) -> Problem:
        """The same with other atoms."""
        return Problem(self.parabola, self.axis, atoms, self._told, self._scattered)

    def objective(self, smoothness: Smoothness, functions: Floats, z: Floats) -> float:
        """``L``."""
        return State(self, smoothness, functions, z).value

    def gradient(self, smoothness: Smoothness, functions: Floats, z: Floats) -> Floats:
        """The derivative of L."""
        return State(self, smoothness, functions, z).gradient()

    def functions(self, smoothness: Smoothness) -> Floats:
        """``Phi``: the prior's functions on the cells, each times its deviation."""
        return self.axis.functions(smoothness) * self.axis.deviations(smoothness)

    def _precisions(self, smoothness: Smoothness) -> Floats:
        """What the reports say of the coefficient of every function, in parts of its prior's."""
        key = smoothness.link, smoothness.order, smoothness.warp, smoothness.scatter
        if key not in self._told:
            at = self.parabola.at
            slopes = at if smoothness.link == "log" else self.axis.widths
            moved = slopes[:, None] * self.axis.functions(smoothness)
            moved -= np.outer(at, moved.sum(axis=0))
            self._told[key] = np.einsum(
                "ij,ij->j", moved, self.of_smooth(smoothness.scatter).bend @ moved
            )
        return self._told[key] * self.axis.deviations(smoothness) ** 2

    def solve(
        self, smoothness: Smoothness, near: Floats | Penalised, *, enough: float = ENOUGH
    ) -> Penalised:
        """The minimum of L, found from the shares or the fit ``near``, and the prior's evidence.

        Of functions that are left out, of prior precision 1 and precision x from the reports, the
        evidence loses about ``log(1 + x) / 2``.
        """
        told = self._precisions(smoothness)
        count = 1 + int(np.flatnonzero(told >= _FAINT)[-1:].sum())
        functions = self.functions(smoothness)[:, :count]
        state = State(self, smoothness, functions, self._start(smoothness, functions, near))
        steps, promised = 0, np.inf
        while promised >= enough and steps < _STEPS:
            steps += 1
            gradient, curvature = state.gradient(), state.curvature()
            system = curvature + state.bending() + state.held(gradient)
            step = state.within_bounds(-solved(system, gradient))
            promised = float(-gradient @ step)
            moved = state.towards(step, promised)
            if moved is None:
                break
            state = moved
        sign, logdet = np.linalg.slogdet(curvature)
        logdet += np.log1p(told[count:]).sum()
        log_marginal = (
            -state.value
            - logdet / 2
            + smoothness.log_odds
            + len(self.atoms) * np.log(2 * np.pi) / 2
        )
        if sign <= 0:  # an atom of which reports say nothing: no evidence for it
            log_marginal = -np.inf
        return Penalised(
            smoothness, self._followed(smoothness.scatter, state.shares), float(log_marginal),
            steps, promised, state.z, state.shares,
        )  # fmt: skip

    def _followed(self, scatter: float, smooth: Floats) -> Floats:
        """The mean of the shares given their smooth part."""
        if not scatter:
            return smooth
        return smooth + self._with_scatter(scatter)[1] @ self.parabola.pull(smooth)

    def state_of(self, fit: Penalised) -> State:
        """The state of a fit, with all functions."""
        functions, atoms = self.functions(fit.smoothness), len(self.atoms)
        z = np.zeros(functions.shape[1] + atoms)
        z[: len(fit.z) - atoms] = fit.z[: len(fit.z) - atoms]
        z[functions.shape[1] :] = fit.z[len(fit.z) - atoms :]
        return State(self, fit.smoothness, functions, z)

    def state_at(self, smoothness: Smoothness, z: Floats) -> State:
        """The state at coefficients of all functions and shares of atoms, which are kept within bounds."""
        functions, moved = self.functions(smoothness), z.copy()
        if len(self.atoms):
            own = np.maximum(moved[functions.shape[1] :], _LEAST_ATOM)
            moved[functions.shape[1] :] = own / max(1.0, own.sum() / _MOST_ATOMS)
        return State(self, smoothness, functions, moved)

    def state_near(self, smoothness: Smoothness, shares: Floats) -> State:
        """The state whose shares are about these."""
        functions = self.functions(smoothness)
        return State(self, smoothness, functions, self._start(smoothness, functions, shares))

    def covariance(self, fit: Penalised, rougher: float = 0.0, scatter: float = 0.0) -> Floats:
        """``J H^-1 J'``, or ``K + (I - K M) J H^-1 J' (I - M K)``: of the cells' shares at ``fit``.

        Under the prior of the fit, or one that is some levels ``rougher`` and scatters as much as that.
        """
        scatter = max(scatter, fit.smoothness.scatter)
        state = self.state_of(fit)
        slopes = state.slopes()
        prior = replace(fit.smoothness, level=fit.smoothness.level + rougher)
        scale = self.axis.deviations(prior) / self.axis.deviations(fit.smoothness)
        slopes[:, : len(scale)] *= scale
        curvature = self.curvature(slopes, scatter)
        if not scatter:
            return slopes @ solved(curvature, slopes.T)
        own = self._with_scatter(scatter)[1]
        slopes = slopes - own @ (self.parabola.bend @ slopes)
        return own + slopes @ solved(curvature, slopes.T)

    def curvature(self, slopes: Floats, scatter: float) -> Floats:
        """H, where J is ``slopes``."""
        curvature: Floats = slopes.T @ (self.of_smooth(scatter).bend @ slopes)
        smooth = np.arange(slopes.shape[1] - len(self.atoms))
        curvature[smooth, smooth] += 1.0
        return curvature

    def unexplained(self, fit: Penalised) -> tuple[Floats, Floats]:
        """``r`` and ``R``: what the reports say of atoms beyond what the prior of the fit can follow."""
        return self.state_of(fit).unexplained()

    def _start(self, smoothness: Smoothness, functions: Floats, near: Floats | Penalised) -> Floats:
        """The z whose shares are about ``near``.

        From a fit that differs in roughness only, the same function; else by least squares weighted
        by mass, with a ridge.
        """
        if isinstance(near, Penalised):
            if (
                replace(near.smoothness, level=smoothness.level, scatter=smoothness.scatter)
                == smoothness
            ):
                return self._rescaled(near, smoothness, functions.shape[1])
            near = near.smooth
        widths, smooth = self.axis.widths, np.maximum(near, 0.0)
        for atom in self.atoms:
            around = [i for i in (atom - 1, atom + 1) if 0 <= i < len(near) and i not in self.atoms]
            heights = [near[i] / widths[i] for i in around] or [near[atom] / widths[atom]]
            smooth[atom] = min(near[atom], widths[atom] * float(np.mean(heights)))
        aim = inverse_link(smoothness.link, smooth / widths)
        weights = np.maximum(smooth, 0.05 * widths)[:, None] * len(near)
        normal = functions.T @ (weights * functions)
        normal[np.diag_indices_from(normal)] += 0.1
        z = solved(normal, functions.T @ (weights[:, 0] * aim))
        own = np.maximum((near - smooth)[self.atoms], _LEAST_ATOM)
        return np.concatenate([z, own / max(1.0, own.sum() / _MOST_ATOMS)])

    def _rescaled(self, near: Penalised, smoothness: Smoothness, count: int) -> Floats:
        """The z of the same function under another roughness, of so many waves."""
        z, before = np.zeros(count), len(near.z) - len(self.atoms)
        some = min(count, before)
        scale = self.axis.deviations(near.smoothness) / self.axis.deviations(smoothness)
        z[:some] = near.z[:some] * scale[:some]
        return np.concatenate([z, near.z[before:]])


class State:
    """L and what its derivatives need, at one z."""

    def __init__(
        self, problem: Problem, smoothness: Smoothness, functions: Floats, z: Floats
    ) -> None:
        self.problem, self.smoothness, self._functions, self.z = problem, smoothness, functions, z
        self._smooth, atoms = z[: functions.shape[1]], z[functions.shape[1] :]
        heights, slopes, bends = link(smoothness.link, functions @ self._smooth)
        heights = problem.axis.widths * heights
        self._scale = problem.axis.widths * (1 - atoms.sum()) / heights.sum()
        self._slopes, self._bends = slopes, bends
        self._part = heights / heights.sum()
        self.shares = self._part * (1 - atoms.sum())
        self.shares[problem.atoms] += atoms
        self.parabola = problem.of_smooth(smoothness.scatter)
        self._pull = self.parabola.pull(self.shares)
        log_likelihood = self.parabola.height(self.shares, self._pull)
        self._pull = self._pull - self._pull @ self._part
        odds = problem.axis.log_odds_of_atoms(atoms) if len(atoms) else 0.0
        self.value = float(self._smooth @ self._smooth) / 2 - log_likelihood - odds

    def gradient(self) -> Floats:
        smooth = self._smooth - self._functions.T @ (self._scale * self._slopes * self._pull)
        atoms = self.z[len(smooth) :]
        less = (len(atoms) + 1) / (ATOM + atoms.sum())
        return np.concatenate([smooth, less - self._pull[self.problem.atoms]])

    def slopes(self) -> Floats:
        """J: what rises elsewhere is taken from all of the smooth part."""
        smooth = (self._scale * self._slopes)[:, None] * self._functions
        atoms = np.zeros((len(smooth), len(self.problem.atoms)))
        atoms[self.problem.atoms, np.arange(atoms.shape[1])] = 1.0
        moved = np.hstack([smooth, atoms])
        moved -= np.outer(self._part, moved.sum(axis=0))
        return moved

    def curvature(self) -> Floats:
        """H."""
        return self.problem.curvature(self.slopes(), self.smoothness.scatter)

    def bending(self) -> Floats:
        """What the bend of the link adds to H where the reports ask for less than there is."""
        count, functions = len(self._smooth), self._functions
        added = np.zeros((len(self.z), len(self.z)))
        bends = np.maximum(-self._pull * self._scale * self._bends, 0.0)
        added[:count, :count] = functions.T @ (bends[:, None] * functions)
        return added

    def held(self, gradient: Floats) -> Floats:
        """What keeps atoms at their least that would fall below it."""
        count = len(self._smooth)
        least = (self.z[count:] <= _LEAST_ATOM) & (gradient[count:] > 0)
        return np.diag(np.concatenate([np.zeros(count), np.where(least, _HELD, 0.0)]))

    def within_bounds(self, step: Floats) -> Floats:
        """``step``, no atom below its least and something left for the smooth part."""
        count, moved = len(self._smooth), step.copy()
        if len(self.problem.atoms):
            atoms = np.maximum(self.z[count:] + step[count:], _LEAST_ATOM)
            moved[count:] = atoms / max(1.0, atoms.sum() / _MOST_ATOMS) - self.z[count:]
        return moved

    def unexplained(self) -> tuple[Floats, Floats]:
        """Gradient, and curvature beyond that of z, of an atom in every cell, people taken from all."""
        bend = self.parabola.bend
        bent = bend @ self.slopes()
        left = bend - bent @ solved(self.curvature(), bent.T)
        along = left @ self._part
        return self._pull, left - along - along[:, None] + along @ self._part

    def towards(self, step: Floats, promised: float) -> State | None:
        """As far along ``step`` as L falls enough; None where it does not."""
        length = 1.0
        if self.smoothness.link == "log" and len(self._smooth):
            rise = float(np.ptp(self._functions @ step[: len(self._smooth)]))
            length /= max(1.0, rise / _LARGEST_RISE)
        while length > 1e-6:
            moved = State(self.problem, self.smoothness, self._functions, self.z + length * step)
            if moved.value <= self.value - 1e-4 * length * promised:
                return moved
            length /= 2
        return None

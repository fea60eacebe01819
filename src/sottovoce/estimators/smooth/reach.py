"""How far an answer reaches where slopes say nothing.

Errors of shares come from J, their derivative in z (:mod:`sottovoce.estimators.smooth.posterior`).  Where a fit
has nearly everybody in one cell, exponentials are flat: J is nearly 0, whatever the reports leave open, and so
would be every error.  There, and only there, distributions are looked for whose L is above the least by at most 1/2, as it is one
standard error away where L is a parabola:

* on the line in z along which the answer rises fastest, both ways;
* among mixtures of the fit with an even spread over the cells that raise the answer, or lower it.

The farthest answer that is found is evidence by itself that the error is at least so large.  Reach is to one side
only, where all are in one cell, and intervals are symmetric: the variance is at least its square.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.smooth.information import solved
from sottovoce.estimators.smooth.map_fit import Penalised, Problem

__all__ = ["variance_beyond_slopes"]

_DROP = 0.5
"""How much less likely a distribution may be, in logarithms: one standard error of a parabola."""
_MIXTURES = (0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175, 0.012, 0.008, 0.004)
"""Parts that go elsewhere, the largest first."""
_LONGEST, _LONGER, _TRIES, _NEAR = 4.0, 1.6, 14, 0.1


def variance_beyond_slopes(
    problem: Problem, fits: Sequence[tuple[float, Penalised]], weights: Floats
) -> float:
    """What slopes leave out of the variance of ``weights . w``, averaged over fits with their probabilities."""
    if not _is_flat(problem, fits[0][1]):
        return 0.0
    total, chances = 0.0, sum(chance for chance, _ in fits)
    for chance, fit in fits:
        line, slopes = _on_the_line(problem, fit, weights)
        found = max(line, _among_mixtures(problem, fit, weights))
        total += chance / chances * max(0.0, found - slopes)
    return total


def _is_flat(problem: Problem, fit: Penalised) -> bool:
    """Whether one cell has most, and all others together less than the reports tell from nothing.

    People spread evenly, in parts t of all, change l by ``-t^2 d' M d / 2``: t has a standard error of
    ``(d' M d)^(-1/2)``, d the way from the fit to an even spread.
    """
    most = float(fit.shares.max())
    away = problem.axis.widths - fit.shares
    told = float(away @ problem.parabola.bend @ away)
    return most > 0.5 and (1 - most) ** 2 * told < 1


def _on_the_line(problem: Problem, fit: Penalised, weights: Floats) -> tuple[float, float]:
    """The square of the farthest answer on the line, and the variance by slopes."""
    state = problem.state_of(fit)
    slopes = state.slopes()
    rise = slopes.T @ weights
    direction = solved(problem.curvature(slopes, fit.smoothness.scatter), rise)
    variance = float(rise @ direction)
    if not variance > 0:
        return 0.0, 0.0
    step, here = direction / np.sqrt(variance), float(weights @ state.shares)
    farthest = 0.0
    for side in (1.0, -1.0):
        best, inside, outside, length = 0.0, 0.0, np.inf, 1.0
        for _ in range(_TRIES):
            moved = problem.state_at(fit.smoothness, state.z + side * length * step)
            if moved.value - state.value <= _DROP:
                inside, best = length, abs(float(weights @ moved.shares) - here)
            else:
                outside = length
            if inside >= _LONGEST or outside - inside < _NEAR * outside:
                break
            length = (inside + outside) / 2 if np.isfinite(outside) else length * _LONGER
        farthest = max(farthest, best)
    return farthest**2, variance


def _among_mixtures(problem: Problem, fit: Penalised, weights: Floats) -> float:
    """The same of the largest mixtures that are likely enough."""
    state = problem.state_of(fit)
    here = float(weights @ state.shares)
    farthest = 0.0
    for side in (1.0, -1.0):
        spread = np.where(side * (weights - here) > 0, problem.axis.widths, 0.0)
        if not spread.any():
            continue
        for part in _MIXTURES:
            mixed = (1 - part) * state.shares + part * spread / spread.sum()
            found = problem.state_near(fit.smoothness, mixed)
            moved = side * (float(weights @ found.shares) - here)
            if moved > 0 and found.value - state.value <= _DROP:
                farthest = max(farthest, moved)
                break
    return farthest**2

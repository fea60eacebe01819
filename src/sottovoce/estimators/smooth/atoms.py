"""Atoms: cells that hold people of their own, found one after the other while the evidence grows.

Given a fit, let ``r_j`` be the gradient of the log-likelihood when people of the smooth part move to cell
j, and R what the reports say of such moves beyond what the smooth part can take up,
``M - M J H^-1 J' M`` in these directions.  An atom in cell j would have the share ``r_j / R_jj`` and
multiply the marginal likelihood by

    exp(r_j^2 / 2 R_jj) sqrt(2 pi / R_jj)  p(r_j / R_jj | others)  k / (G - k + 1),

the last two being the prior density of its share and the odds of a k-th atom among G cells.  The best is added while that is above 1, with
``r`` and ``R`` brought up to date by one elimination step each.
"""

from __future__ import annotations

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.domains.base import Indices
from sottovoce.estimators.smooth.map_fit import Penalised, Problem
from sottovoce.estimators.smooth.priors import ATOM

__all__ = ["promising_atoms"]

_MOST = 64


def promising_atoms(problem: Problem, fit: Penalised) -> Indices:
    """The atoms of ``problem`` and those that would raise the evidence of ``fit``."""
    pull, left = problem.unexplained(fit)
    chosen, cells = problem.atoms.tolist(), len(pull)
    total = float(fit.z[len(fit.z) - len(chosen) :].sum())
    while len(chosen) < min(_MOST, cells // 2):
        told, k = np.diag(left), len(chosen) + 1
        free = (told > 1.0) & (pull > 0)
        free[chosen] = False
        told = np.where(free, told, 1.0)
        sizes = np.where(free, np.minimum(pull / told, 1.0), 0.0)
        density = np.log(k) + k * np.log(ATOM + total) - (k + 1) * np.log(ATOM + total + sizes)
        gains = pull * sizes - told * sizes**2 / 2 + np.log(2 * np.pi / told) / 2 + density
        gains = np.where(free, gains + np.log(k / (cells - k + 1)), -np.inf)
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        chosen.append(best)
        total += float(sizes[best])
        column: Floats = left[:, best] / left[best, best]
        pull = pull - column * pull[best]
        left = left - np.outer(column, left[best])
    return np.array(sorted(chosen), dtype=np.int64)

"""The greatest likelihood of a regression, by damped Newton steps with exact second derivatives.

The likelihood of randomized reports need not be concave.  Where its curvature is not negative definite, a multiple of
the scores' own is added until the step goes uphill (Levenberg 1944); steps are halved until the likelihood rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.estimators.regression.models import Likelihood, Model

__all__ = ["Maximum", "maximize"]

_HALVINGS = 30
_DAMPINGS = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where it is; ``promised`` is how far the log-likelihood may rise yet, to second order."""

    parameters: Floats
    likelihood: Likelihood
    converged: bool
    iterations: int
    promised: float


def maximize(
    model: Model, rows: Floats, odds: Floats, *, max_iterations: int, tolerance: float
) -> Maximum:
    """From the model's own start."""
    parameters = model.start(rows)
    now = model.likelihood(parameters, rows, odds)
    assert now is not None  # every model starts where all reports are possible
    promised, definite = np.inf, False
    for iteration in range(1, max_iterations + 1):
        step, promised, definite = _step(now)
        if definite and promised <= tolerance:
            return Maximum(parameters, now, True, iteration - 1, promised)
        moved = _uphill(model, (rows, odds), parameters, step, now.value)
        if moved is None:
            break
        parameters, now = moved
    done = definite and promised <= tolerance
    return Maximum(parameters, now, done, max_iterations if moved else iteration, promised)


def _step(now: Likelihood) -> tuple[Floats, float, bool]:
    """A step uphill, what it promises, and whether the likelihood bends down in every direction."""
    gradient = now.scores.sum(axis=0)
    own = now.scores.T @ now.scores
    own += np.diag(np.maximum(np.diag(own), 1e-12)) * 1e-6
    for damping in _DAMPINGS:
        try:
            root = np.linalg.cholesky(-now.hessian + damping * own)
        except np.linalg.LinAlgError:
            continue
        step = np.linalg.solve(root.T, np.linalg.solve(root, gradient))
        return step, float(gradient @ step) / 2, damping == 0
    return gradient / np.maximum(np.diag(own), 1e-12), np.inf, False


def _uphill(
    model: Model, seen: tuple[Floats, Floats], parameters: Floats, step: Floats, least: float
) -> tuple[Floats, Likelihood] | None:
    for halving in range(_HALVINGS):
        moved = parameters + step / 2**halving
        found = model.likelihood(moved, *seen)
        if found is not None and found.value >= least and np.isfinite(found.value):
            return moved, found
    return None

"""A level that walks: each window's answer, smoothed by all others, with its own error.

    y_t = level_t + e_t,   level_(t+1) = level_t + step_t

Errors e have a known covariance R, with what windows share; steps are independent with variance tau^2.
The first level is not known at all (a flat prior), nor is by how much the windows of a shift differ, so the
likelihood is that of what these leave of the answers.
tau is learned: a grid from far below to far above the errors, every point weighed by its likelihood and a
half-Cauchy prior with the scale of a typical error, ``1 / (1 + (tau / s)^2)`` (Gelman 2006).  Answers are
averaged over it, so that their errors count that tau is not known.

References: Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989, chapter 4;
with covariances between windows it is solved at once instead of filtered, O(W^3) per point of the grid.
Gelman, Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["smooth"]

_GRID = np.logspace(-2.5, 2.5, 41)
"""Steps in parts of a typical standard error."""
_PRIOR = _GRID / (1 + _GRID**2)
"""What each point stands for before the answers are seen: the density, times the width of a point."""


def smooth(
    values: Floats, covariance: Floats, shifted: Sequence[Sequence[int]] = ()
) -> tuple[Floats, Floats]:
    """The level in every window and its standard error; ``shifted`` are windows that stand apart.

    >>> level, stderr = smooth(np.array([1.0, 1.2, 0.9, 1.1]), np.eye(4) * 0.04)
    >>> level.round(2).tolist(), bool(stderr.max() < 0.2)
    ([1.05, 1.07, 1.03, 1.05], True)
    """
    windows = len(values)
    design = np.zeros((windows, 1 + len(shifted)))
    design[:, 0] = 1.0
    for column, members in enumerate(shifted, start=1):
        design[list(members), column] = 1.0
    if windows <= design.shape[1]:
        return values.copy(), np.sqrt(np.diag(covariance))
    steps = np.arange(windows)
    walk = np.minimum.outer(steps, steps).astype(np.float64)  # of a level that starts at 0
    scale = max(float(np.median(np.diag(covariance))), np.finfo(float).tiny)
    fits = [_fit(values, covariance, walk * (part**2 * scale), design) for part in _GRID]
    logs = np.array([fit[0] for fit in fits])
    weights = _PRIOR * np.exp(logs - logs.max())
    weights /= weights.sum()
    levels = np.stack([fit[1] for fit in fits])
    level = weights @ levels
    spread = weights @ (np.stack([fit[2] for fit in fits]) + (levels - level) ** 2)
    return level, np.sqrt(np.maximum(spread, 0.0))


def _fit(
    values: Floats, noise: Floats, walk: Floats, design: Floats
) -> tuple[float, Floats, Floats]:
    """Log-likelihood of what the design leaves, level and variances for one size of steps.

    With S = noise + walk and the design X: ``b = (X'S^-1 X)^-1 X'S^-1 y``, ``level = X b + walk S^-1
    (y - X b)``, and the errors of both, the second by ``walk - walk S^-1 walk``, the first with its
    weights ``X - walk S^-1 X``.
    """
    lower = np.linalg.cholesky(noise + walk)
    half = np.linalg.solve(lower, np.column_stack([values, design, walk]))
    parts = design.shape[1]
    y, x, path = half[:, 0], half[:, 1 : 1 + parts], half[:, 1 + parts :]
    known = x.T @ x
    fixed = np.linalg.solve(known, x.T @ y)
    rest = y - x @ fixed
    level = design @ fixed + path.T @ rest
    left = design - path.T @ x
    of_fixed = np.sum(left * np.linalg.solve(known, left.T).T, axis=1)
    variance = np.diag(walk) - np.sum(path**2, axis=0) + of_fixed
    _, size = np.linalg.slogdet(known)
    logs = -np.log(np.diag(lower)).sum() - 0.5 * size - 0.5 * float(rest @ rest)
    return float(logs), level, np.maximum(variance, 0.0)

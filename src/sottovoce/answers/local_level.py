"""A level that walks: each window's answer, smoothed by all others, with its own error.

    y_t = level_t + e_t,   level_(t+1) = level_t + step_t

Errors e have a known covariance R, with what windows share; steps are independent with variance tau^2.
The first level is not known at all (a flat prior), nor is by how much the windows of a shift differ, so the
likelihood is that of what these leave of the answers.
tau is learned: a grid from far below to far above the errors, every point weighed by its likelihood and a
half-Cauchy prior with the scale of a typical error, ``1 / (1 + (tau / s)^2)`` (Gelman 2006).  Answers are
averaged over it, so that their errors count that tau is not known.

References: Harvey, Forecasting, Structural Time Series Models and the Kalman Filter, 1989, chapter 4;
with covariances between windows it is solved at once instead of filtered, O(W^3) for the whole grid.
Gelman, Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.base.threads import one_product_thread
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
    with one_product_thread():
        both = _together(covariance, walk, scale)
        fits = [_fit(values, both, part**2, design) for part in _GRID]
    logs = np.array([fit[0] for fit in fits])
    weights = _PRIOR * np.exp(logs - logs.max())
    weights /= weights.sum()
    levels = np.stack([fit[1] for fit in fits])
    level = weights @ levels
    spread = weights @ (np.stack([fit[2] for fit in fits]) + (levels - level) ** 2)
    return level, np.sqrt(np.maximum(spread, 0.0))


@dataclass(frozen=True, eq=False)
class _Together:
    """Noise and walk, both diagonal in one basis: ``A (noise + walk) A' = I`` and ``A walk A' = diag(d)``."""

    basis: Floats
    """``A^-1``."""
    inverse: Floats
    """A."""
    walk: Floats
    """d, from 0 to 1."""
    log_det: float
    """Of ``noise + walk``."""


def _together(noise: Floats, walk: Floats, scale: float) -> _Together:
    """The basis of two covariances, of which the sum is positive: one decomposition for all sizes of steps."""
    lower = np.linalg.cholesky(noise + scale * walk)
    half = np.linalg.solve(lower, scale * walk)
    found, vectors = np.linalg.eigh(np.linalg.solve(lower, half.T))
    return _Together(
        lower @ vectors, np.linalg.solve(lower.T, vectors).T, np.clip(found, 0.0, 1.0),
        2 * float(np.log(np.diag(lower)).sum()),
    )  # fmt: skip


def _fit(
    values: Floats, both: _Together, part: float, design: Floats
) -> tuple[float, Floats, Floats]:
    """Log-likelihood of what the design leaves, level and variances where steps are ``part`` of those of ``both``.

    With S = noise + part walk and the design X: ``b = (X'S^-1 X)^-1 X'S^-1 y``, ``level = X b + part walk S^-1
    (y - X b)``, and the errors of both, the second by ``part walk - part walk S^-1 part walk``, the first with
    its weights ``X - part walk S^-1 X``.  In the basis of ``both``, S is ``e = 1 + (part - 1) d`` and walk is d.
    """
    d = both.walk
    e = np.maximum(1 + (part - 1) * d, np.finfo(float).tiny)
    y, x = both.inverse @ values, both.inverse @ design
    known = x.T @ (x / e[:, None])
    fixed = np.linalg.solve(known, x.T @ (y / e))
    rest = y - x @ fixed
    level = design @ fixed + both.basis @ (part * d / e * rest)
    left = both.basis @ ((1 - d)[:, None] / e[:, None] * x)
    of_fixed = np.sum(left * np.linalg.solve(known, left.T).T, axis=1)
    variance = both.basis**2 @ (part * d * (1 - d) / e) + of_fixed
    _, size = np.linalg.slogdet(known)
    logs = -0.5 * (both.log_det + np.log(e).sum() + size + float(rest @ (rest / e)))
    return float(logs), level, np.maximum(variance, 0.0)

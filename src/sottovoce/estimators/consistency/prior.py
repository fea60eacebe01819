"""A prior for the shares of many values, fitted to their noisy estimates.

In units of the noise, an estimate is ``u = t + N(0, 1)``, t >= 0 the true share.
The prior of t is a mixture of a point at 0, exponentials (many small shares) and
gammas (bumps), on a grid of t.  Its weights maximise the likelihood of the
estimates **under the constraint that its mean is the known mean share**: shares
sum to 1, which pins down what noise hides.  Fitting stops after a few passes of
EM, which smooths.

Everything but the weights is the same for all data, in units of the noise, and
is computed once: a fit is then a few hundred small products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["SMALL", "Posterior", "density_of", "fit_prior", "posterior_of"]

SMALL = 8.0
"""Estimates below this many standard errors are shrunk."""
_STEP = 0.05
"""Estimates are put in bins this wide: 1/5000 of the noise's variance is lost."""
_PASSES = 40
_TINY = 1e-9


@dataclass(frozen=True)
class Posterior:
    """Means and variances of the true shares, in units of the noise."""

    mean: Floats
    variance: Floats


@dataclass(frozen=True)
class _Tables:
    """``grid`` of t, ``components`` on it, ``bins`` of u, and how likely bins are under each."""

    grid: Floats
    components: Floats
    bins: Floats
    normal: Floats
    likelihood: Floats
    means: Floats


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    grid = np.concatenate([[0.0], np.geomspace(0.02, SMALL + 3.0, 160)])
    bins = np.arange(-SMALL, SMALL + _STEP, _STEP)
    components = _components(grid)
    normal = np.exp(-((bins[:, None] - grid) ** 2) / 2)
    return _Tables(grid, components, bins, normal, normal @ components, grid @ components)


def _components(grid: Floats) -> Floats:
    """Columns, each of sum 1: a point at 0, 14 exponentials, 14 gammas of shape 4."""
    widths = np.gradient(grid)
    point = np.zeros_like(grid)
    point[0] = 1.0
    exponentials = [np.exp(-grid / scale) * widths for scale in np.geomspace(0.05, SMALL, 14)]
    gammas = [grid**3 * np.exp(-4 * grid / mean) * widths for mean in np.geomspace(0.2, SMALL, 14)]
    columns = np.array([point, *exponentials, *gammas]).T
    normed: Floats = columns / columns.sum(axis=0)
    return normed


def fit_prior(observed: Floats, mean: float) -> Floats:
    """The masses of t on the grid, given estimates below :data:`SMALL` and the mean of t."""
    tables = _tables()
    bins = np.rint((np.clip(observed, -SMALL, SMALL) + SMALL) / _STEP).astype(np.int64)
    frequencies = np.bincount(bins, minlength=len(tables.bins)) / len(observed)
    seen = frequencies > 0
    frequencies, likelihood = frequencies[seen], tables.likelihood[seen]
    offsets = tables.means - mean
    weights = np.full(len(offsets), 1 / len(offsets))
    for _ in range(_PASSES):
        weights = weights * (likelihood.T @ (frequencies / (likelihood @ weights)))
        weights = _with_mean_zero(weights, offsets)
    return tables.components @ weights


def posterior_of(observed: Floats, masses: Floats) -> Posterior:
    """The posterior of t for every estimate, tabulated on the bins and interpolated."""
    tables = _tables()
    weights = tables.normal * (masses + 1e-300)
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ tables.grid
    variance = np.maximum(weights @ tables.grid**2 - mean**2, 0.0)
    return Posterior(
        np.interp(observed, tables.bins, mean), np.interp(observed, tables.bins, variance)
    )


def density_of(observed: Floats, masses: Floats) -> Floats:
    """How likely every estimate is under the prior."""
    tables = _tables()
    density = tables.normal @ (masses + 1e-300) / np.sqrt(2 * np.pi)
    return np.interp(observed, tables.bins, density)


def _with_mean_zero(weights: Floats, offsets: Floats) -> Floats:
    """The M-step under ``sum w_k offset_k = 0``: ``w_k / (1 + theta offset_k)``, renormalised.

    theta is the root of ``sum w_k offset_k / (1 + theta offset_k)``, which falls from
    one pole to the next: Newton's steps, bisecting where one would leave the
    bracket.  Without offsets of both signs there is no root, and no constraint.
    """
    if offsets.min() > -_TINY or offsets.max() < _TINY:
        return weights
    low, high, theta = float(-1 / offsets.max()), float(-1 / offsets.min()), 0.0
    for _ in range(60):
        scaled = offsets / (1 + theta * offsets)
        value, slope = float(weights @ scaled), float(weights @ scaled**2)
        low, high = (theta, high) if value > 0 else (low, theta)
        newton = theta + value / slope
        inside = low < newton < high
        step = (newton if inside else (low + high) / 2) - theta
        theta += step
        if abs(step) < 1e-12 * (1 + abs(theta)):
            break
    tilted = weights / (1 + theta * offsets)
    return tilted / tilted.sum()

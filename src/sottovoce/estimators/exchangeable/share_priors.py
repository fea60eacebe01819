"""Priors of how unequal the shares of exchangeable values are.

A share is measured in units of the mean share ``1/d``, so that every prior has mean 1.  Four
kinds, the first twice as probable as another before anything is seen; within a kind all alike:

* *all alike*: everything at 1;
* *one kind of values*: a gamma distribution of shape a.  Independent gammas of a known sum
  follow Dirichlet's law of concentration a: large where values are alike, small where few have all;
* *a power law* ``t^-s`` up to a reach of at most the whole, as words, cities and names follow;
* *two kinds of values*: low ones, at one place or gamma, and high ones, gamma.  That the mean
  is 1 fixes how many are high.

Every prior is a column of masses on cells that are 6% wide, and a fifth of the noise where noise can
be seen.  What cells and their end at the whole (d) take from the mean is put right by a factor
``exp(theta t)``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["ALIKE", "CLEAR", "Priors", "noise_levels", "priors_for"]

ALIKE = "all values equal"
"""The label of the prior under which they are."""
CLEAR = 8.0
"""Shares above this many standard errors are clear: no prior moves them by much."""
_BEYOND = 4.0
"""Standard errors by which a share may exceed its estimate."""
_GROWTH, _PER_NOISE, _FIRST = 0.06, 5.0, 2e-3
"""Cells: their width over their place, per standard error, and the first one's."""

_ALIKE, _OTHER = 0.4, 0.2
"""How probable it is beforehand that all values are alike, and each other kind of prior."""
_SHAPES = np.geomspace(0.02, 300.0, 20)
_EXPONENTS = (0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0)
_REACHES = (1.0, 0.25, 0.05)
"""Parts of the whole up to which power laws reach."""
_LOW_MEANS = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95)
_LOW_SHAPES = (math.inf, 3.0, 0.6)
_HIGH_SHAPES = (1.0, 8.0)
_LEAST_HIGH, _HIGH_RATIO = 1.25, 1.5
_FEWEST_HIGH = 0.5
"""How many high values there must be on average."""
_NEAREST = (1e-8, 0.999)
"""Where a power law may begin."""
_STEPS, _EXACT, _LARGEST = 40, 1e-11, 0.2
"""Newton's steps to mean 1: how many, how near, and how large."""


@dataclass(frozen=True, eq=False)
class Priors:
    """Columns of ``masses`` on cells around ``grid``, each of sum 1 and mean 1."""

    grid: Floats
    widths: Floats
    masses: Floats
    variances: Floats
    log_odds: Floats
    labels: tuple[str, ...]


def noise_levels(sigma: Floats) -> tuple[float, ...]:
    """The standard errors that occur, rounded down to half octaves, in ascending order."""
    levels: Floats = np.unique(np.floor(2 * np.log2(sigma)))
    return tuple((2.0 ** (levels / 2)).tolist())


@lru_cache(maxsize=16)
def priors_for(size: int, levels: tuple[float, ...], at_equal: float | None = None) -> Priors:
    """All priors for ``size`` values, seen with noise of these levels (in mean shares).

    ``at_equal`` is the noise of a value whose share is the mean share, where all values are near it:
    cells there are as narrow in parts of it as those near 0.
    """
    edges = _edges(size, levels, at_equal)
    grid = (edges[1:] + edges[:-1]) / 2
    kinds = (
        (_ALIKE, _alike(grid)),
        (_OTHER, _one_kind(edges)),
        (_OTHER, _power_laws(edges, size)),
        (_OTHER, _two_kinds(edges, grid, size)),
    )
    columns, log_odds, labels = [], [], []
    for odds, kind in kinds:
        found = list(kind)
        columns += [masses for masses, _ in found]
        labels += [label for _, label in found]
        log_odds += [math.log(odds / max(len(found), 1))] * len(found)
    masses = _with_mean_one(np.array(columns).T, grid)
    means = grid @ masses
    right = np.abs(means - 1) < 1e-6
    variances = np.maximum((grid - 1) ** 2 @ masses, 0.0)
    return Priors(
        grid, np.diff(edges), masses[:, right], variances[right], np.array(log_odds)[right],
        tuple(label for label, fine in zip(labels, right, strict=True) if fine),
    )  # fmt: skip


def _edges(size: int, levels: tuple[float, ...], at_equal: float | None) -> Floats:
    """The borders of the cells, from 0 to the whole."""
    first = _FIRST * min(1.0, levels[0])
    edges = [0.0, first]
    while edges[-1] < size:
        here = edges[-1]
        step = max(_GROWTH * here, first)
        told = next((level for level in levels if (CLEAR + _BEYOND) * level > here), None)
        if told is not None:
            step = min(step, told / _PER_NOISE)
        if at_equal is not None:
            before = 1 - (CLEAR + _BEYOND) * at_equal
            if before <= here <= 2 - before:
                step = min(step, at_equal / _PER_NOISE)
            elif here < before:
                step = min(step, max(before - here, at_equal / _PER_NOISE))
        edges.append(size if here + 1.5 * step > size else here + step)
    return np.array(edges)


def _alike(grid: Floats) -> Iterator[tuple[Floats, str]]:
    yield _point(grid, 1.0), ALIKE


def _one_kind(edges: Floats) -> Iterator[tuple[Floats, str]]:
    for shape in _SHAPES:
        yield _gamma(edges, shape, 1.0), f"one kind of values, gamma of shape {shape:.2g}"


def _power_laws(edges: Floats, size: int) -> Iterator[tuple[Floats, str]]:
    for exponent in _EXPONENTS:
        for reach in _REACHES:
            masses = _power(edges, exponent, reach * size)
            if masses is not None:
                yield masses, f"a power law of exponent {exponent:g} up to {reach:.0%}"


def _two_kinds(edges: Floats, grid: Floats, size: int) -> Iterator[tuple[Floats, str]]:
    lows = [(0.0, math.inf), *((mean, shape) for mean in _LOW_MEANS for shape in _LOW_SHAPES)]
    most = max(size / 2, 2.0)
    count = math.ceil(math.log(most / _LEAST_HIGH) / math.log(_HIGH_RATIO)) + 1
    highs = [
        (_gamma(edges, shape, mean), mean)
        for mean in np.geomspace(_LEAST_HIGH, most, count)
        for shape in _HIGH_SHAPES
    ]
    for mean, shape in lows:
        low = _point(grid, mean) if math.isinf(shape) else _gamma(edges, shape, mean)
        below = float(grid @ low)
        for high, place in highs:
            above = float(grid @ high)
            part = (1 - below) / (above - below) if below < 1 < above else 0.0
            if part * size >= _FEWEST_HIGH:
                label = f"{part * size:.3g} high values of about {place:.2g} mean shares"
                yield (1 - part) * low + part * high, f"two kinds: {label}, others of {mean:g}"


def _point(grid: Floats, place: float) -> Floats:
    """All mass at ``place``: in the two cells around it."""
    masses = np.zeros(len(grid))
    after = int(np.searchsorted(grid, place))
    if after == 0 or after == len(grid):
        masses[min(after, len(grid) - 1)] = 1.0
        return masses
    part = (place - grid[after - 1]) / (grid[after] - grid[after - 1])
    masses[after - 1 : after + 1] = 1 - part, part
    return masses


def _gamma(edges: Floats, shape: float, mean: float) -> Floats:
    """``t^(shape-1) exp(-shape t/mean)``: the power integrated, the exponential in the middle."""
    low, high = edges[:-1], edges[1:]
    part = np.exp(shape * np.log(np.maximum(low, 1e-300) / high))
    log_mass = shape * np.log(high) + np.log1p(-part) - shape * (low + high) / (2 * mean)
    masses = np.exp(log_mass - log_mass.max())
    return masses / masses.sum()


def _power(edges: Floats, exponent: float, last: float) -> Floats | None:
    """``t^-exponent`` up to ``last``, from where the mean is 1 on; None where that is nowhere."""
    low, high = _NEAREST
    if last <= 1 or not _power_mean(exponent, low, last) < 1 < _power_mean(exponent, high, last):
        return None
    for _ in range(50):
        middle = math.sqrt(low * high)
        below = _power_mean(exponent, middle, last) < 1
        low, high = (middle, high) if below else (low, middle)
    masses = np.diff(_integral(exponent, np.clip(edges, low, last)))
    return masses / masses.sum()


def _power_mean(exponent: float, first: float, last: float) -> float:
    ends = np.array([first, last])
    mean: float = np.ptp(_integral(exponent - 1, ends)) / np.ptp(_integral(exponent, ends))
    return mean


def _integral(exponent: float, t: Floats) -> Floats:
    """Of ``t^-exponent``."""
    return np.log(t) if exponent == 1 else t ** (1 - exponent) / (1 - exponent)


def _with_mean_one(masses: Floats, grid: Floats) -> Floats:
    """Every column times ``exp(theta t)``, theta such that its mean is 1: Newton's steps."""
    theta = np.zeros(masses.shape[1])
    with np.errstate(divide="ignore"):
        logs = np.log(masses)
    tilted = masses
    for _ in range(_STEPS):
        exponents = logs + theta * grid[:, None]
        tilted = np.exp(exponents - exponents.max(axis=0))
        tilted /= tilted.sum(axis=0)
        off = 1 - grid @ tilted
        if np.abs(off).max() < _EXACT:
            break
        variances = (grid - 1) ** 2 @ tilted - off**2
        theta += np.clip(off / np.maximum(variances, _EXACT), -_LARGEST, _LARGEST)
    return tilted

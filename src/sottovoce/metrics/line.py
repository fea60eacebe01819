"""Measures of numbers: distances along a line, ranges, moments, quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval
from sottovoce.metrics.checks import edges_of, summing_to_one, two_distributions, two_shares

__all__ = [
    "DECILES",
    "kolmogorov_smirnov",
    "mean_error",
    "quantile_error",
    "range_error",
    "variance_error",
    "wasserstein",
]

DECILES = tuple(k / 10 for k in range(1, 10))
"""10%, 20%, ..., 90%."""

_ROUNDING = 1e-12
"""0.1 + 0.2 is meant to be 0.3."""


def wasserstein(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The work of moving one histogram into the other: ``sum_v |F'(v) - F(v)| (m_(v+1) - m_v)``.

    F is the share of people up to bin v, m its middle.  On [0, 1] neighbouring bins are 1/d
    apart; with ``domain`` the answer is in its units.
    """
    found, true = two_distributions(estimate, truth, "wasserstein")
    gap = np.abs(np.cumsum(found - true, axis=-1))
    apart: Floats = np.diff(_middles(domain, gap.shape[-1], "wasserstein"))
    moved: Floats = gap[..., :-1] @ apart
    return moved


def kolmogorov_smirnov(estimate: Any, truth: Any) -> Floats:
    """The largest error of a share of people up to some bin: ``max_v |F'(v) - F(v)|``."""
    found, true = two_distributions(estimate, truth, "kolmogorov_smirnov")
    worst: Floats = np.abs(np.cumsum(found - true, axis=-1)).max(axis=-1)
    return worst


def quantile_error(
    estimate: Any,
    truth: Any,
    *,
    at: Sequence[float] = DECILES,
    domain: Interval | None = None,
) -> Floats:
    """The mean absolute error of quantiles, the deciles unless ``at`` says otherwise.

    A quantile is the upper end of the last bin up to which there are at most
    ``at`` of all people (Li et al. 2020, section 3.2); 0 where already the first has more.
    """
    owner = "quantile_error"
    found, true = two_distributions(estimate, truth, owner)
    levels = [check_real(level, "at", owner) for level in at]
    if not levels or not all(0 < level < 1 for level in levels):
        raise InvalidInput("at", owner, "numbers between 0 and 1", list(at))
    edges, total = edges_of(domain, found.shape[-1], owner), np.zeros(found.shape[:-1])
    for level in levels:
        ends = [
            edges[(np.cumsum(shares, axis=-1) <= level + _ROUNDING).sum(axis=-1)]
            for shares in (found, true)
        ]
        total += np.abs(ends[0] - ends[1])
    return total / len(levels)


def range_error(estimate: Any, truth: Any, width: float) -> Floats:
    """The mean absolute error of the share in a random range of ``width``, a part of the whole.

    The range is ``[x, x + width]``, x uniform between 0 and ``1 - width``, with shares
    spread evenly in their bins.  Nothing is sampled: the error is a broken line in
    x, whose absolute value is integrated piece by piece.
    """
    found, true = two_shares(estimate, truth, "range_error")
    alpha = check_real(width, "width", "range_error", "a number between 0 and 1")
    if not 0 < alpha < 1:
        raise InvalidInput("width", "range_error", "a number between 0 and 1", width)
    d = found.shape[-1]
    errors = np.cumsum(found - true, axis=-1)
    errors = np.concatenate([np.zeros((*errors.shape[:-1], 1)), errors], axis=-1)
    edges = np.arange(d + 1) / d
    kinks = np.concatenate([edges, edges - alpha, [0.0, 1 - alpha]])
    kinks = np.unique(kinks[(kinks >= 0) & (kinks <= 1 - alpha)])
    line = _along(errors, (kinks + alpha) * d) - _along(errors, kinks * d)
    return _mean_absolute(line, kinks) / (1 - alpha)


def _along(values: Floats, places: Floats) -> Floats:
    """Values given at 0, 1, 2, ... along the last axis, read at places between them."""
    last = values.shape[-1] - 2
    start = np.clip(places.astype(np.int64), 0, last)
    rest = places - start
    read: Floats = values[..., start] * (1 - rest) + values[..., start + 1] * rest
    return read


def _mean_absolute(line: Floats, places: Floats) -> Floats:
    """The integral of the absolute value of a broken line through ``line`` at ``places``."""
    left, right = np.abs(line[..., :-1]), np.abs(line[..., 1:])
    crosses = line[..., :-1] * line[..., 1:] < 0
    total = left + right
    triangles = (left**2 + right**2) / np.where(crosses, total, 1.0)
    integral: Floats = np.where(crosses, triangles, total) @ np.diff(places) / 2
    return integral


def mean_error(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The absolute error of the mean, people being in the middle of their bin."""
    found, true = summing_to_one(estimate, truth, "mean_error")
    middles = _middles(domain, found.shape[-1], "mean_error")
    error: Floats = np.abs((found - true) @ middles)
    return error


def variance_error(estimate: Any, truth: Any, *, domain: Interval | None = None) -> Floats:
    """The absolute error of the variance, people being in the middle of their bin.

    People spread evenly in their bins would add the same constant to both variances.
    """
    found, true = summing_to_one(estimate, truth, "variance_error")
    middles = _middles(domain, found.shape[-1], "variance_error")
    variances = [s @ middles**2 - (s @ middles) ** 2 for s in (found, true)]
    error: Floats = np.abs(variances[0] - variances[1])
    return error


def _middles(domain: Interval | None, d: int, owner: str) -> Floats:
    """Middles of bins, from the middle of all: what is the same for both is left out."""
    edges = edges_of(domain, d, owner)
    middles = (edges[:-1] + edges[1:]) / 2
    return middles - (edges[0] + edges[-1]) / 2

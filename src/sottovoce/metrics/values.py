"""Measures value by value, and of sets of values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.metrics.checks import two_shares

__all__ = [
    "Positives",
    "group_error",
    "mean_absolute_error",
    "mean_squared_error",
    "positives",
    "subset_error",
    "top_error",
    "top_found",
]


def mean_squared_error(estimate: Any, truth: Any) -> Floats:
    """``1/d sum (f' - f)^2``."""
    found, true = two_shares(estimate, truth, "mean_squared_error")
    error: Floats = np.mean((found - true) ** 2, axis=-1)
    return error


def mean_absolute_error(estimate: Any, truth: Any) -> Floats:
    """``1/d sum |f' - f|``."""
    found, true = two_shares(estimate, truth, "mean_absolute_error")
    error: Floats = np.mean(np.abs(found - true), axis=-1)
    return error


def top_error(estimate: Any, truth: Any, count: int) -> Floats:
    """The mean squared error on the ``count`` values that are truly the largest."""
    found, true = two_shares(estimate, truth, "top_error")
    k = check_int(count, "count", "top_error", 1, found.shape[-1])
    largest = _largest(true, k)
    errors = np.take_along_axis(found, largest, -1) - np.take_along_axis(true, largest, -1)
    error: Floats = np.mean(errors**2, axis=-1)
    return error


def top_found(estimate: Any, truth: Any, count: int) -> Floats:
    """Which part of the truly ``count`` largest values is among the estimated ones.

    Equal shares are taken in the order of the domain.
    """
    found, true = two_shares(estimate, truth, "top_found")
    k = check_int(count, "count", "top_found", 1, found.shape[-1])
    chosen = np.zeros(found.shape, dtype=bool)
    np.put_along_axis(chosen, _largest(found, k), True, -1)
    part: Floats = np.take_along_axis(chosen, _largest(true, k), -1).mean(axis=-1)
    return part


def _largest(shares: Floats, count: int) -> Any:
    return np.argsort(-shares, axis=-1, kind="stable")[..., :count]


def subset_error(estimate: Any, truth: Any, count: int) -> Floats:
    """The squared error of the total of ``count`` values, exactly averaged over all such sets.

    With ``e`` the errors of single values, over all sets of m out of d values it is

        ``m/d sum e^2  +  m(m-1) / (d(d-1)) ((sum e)^2 - sum e^2)``,

    because a value is in the set with probability m/d and two with probability
    ``m(m-1) / (d(d-1))``.  Where shares sum to 1 the errors sum to 0, and this is
    ``m(d-m)/(d-1)`` times the mean squared error of single values: the same for m
    and d - m, and the same ranking of methods as on the full domain.
    """
    found, true = two_shares(estimate, truth, "subset_error")
    errors, d = found - true, found.shape[-1]
    m = check_int(count, "count", "subset_error", 1, d)
    squares, square = np.sum(errors**2, axis=-1), np.sum(errors, axis=-1) ** 2
    both = m * (m - 1) / (d * (d - 1)) if d > 1 else 0.0
    return np.maximum(m / d * squares + both * (square - squares), 0.0)


def group_error(estimate: Any, truth: Any, groups: Any, *, clip: bool = False) -> Floats:
    """The mean squared error of the totals of groups; ``groups`` names that of every value.

    Groups are numbered from 0.  With ``clip`` negative totals are raised to 0.
    """
    found, true = two_shares(estimate, truth, "group_error")
    names = np.asarray(groups)
    if names.shape != found.shape[-1:] or names.dtype.kind not in "iu" or names.min() < 0:
        allowed = f"{found.shape[-1]} whole numbers from 0"
        given = f"shape {names.shape}, dtype {names.dtype}"
        raise InvalidInput("groups", "group_error", allowed, given)
    members = np.eye(int(names.max()) + 1)[names]
    totals = found @ members
    return mean_squared_error(np.maximum(totals, 0.0) if clip else totals, true @ members)


class Positives(NamedTuple):
    """How many values were rightly, and how many wrongly, said to be frequent."""

    true: Any
    false: Any


def positives(estimate: Any, truth: Any, threshold: float) -> Positives:
    """Which of the values estimated at ``threshold`` or above are truly there, and which not."""
    found, true = two_shares(estimate, truth, "positives")
    least = check_real(threshold, "threshold", "positives")
    said, held = found >= least, true >= least
    return Positives((said & held).sum(axis=-1), (said & ~held).sum(axis=-1))

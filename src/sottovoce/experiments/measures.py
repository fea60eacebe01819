"""How far estimates are from the truth: everywhere, on the largest values, on sets of values.

Estimates come as rows, one a method; every function returns one number a row.

Sets drawn at random need no drawing.  Over all sets of m out of d values, with
``e`` the errors of single values, the mean of the squared error of the total is

    ``m/d sum e^2  +  m(m-1) / (d(d-1)) ((sum e)^2 - sum e^2)``,

because a value is in the set with probability m/d and two with probability
``m(m-1) / (d(d-1))``.  Where shares sum to 1 the errors sum to 0, and this is
``m(d-m)/(d-1)`` times the mean squared error of single values: the same for m
and d - m, and the same ranking of methods as on the full domain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.core.channel import Floats

__all__ = [
    "clipping_gain",
    "group_error",
    "mean_absolute_error",
    "mean_squared_error",
    "set_size",
    "subset_error",
    "top_error",
]

Ints = NDArray[np.int64]


def mean_squared_error(estimates: Floats, truth: Floats) -> Floats:
    """``1/d sum (f' - f)^2``."""
    error: Floats = np.mean((estimates - truth) ** 2, axis=-1)
    return error


def mean_absolute_error(estimates: Floats, truth: Floats) -> Floats:
    """``1/d sum |f' - f|``."""
    error: Floats = np.mean(np.abs(estimates - truth), axis=-1)
    return error


def top_error(estimates: Floats, truth: Floats, count: int) -> Floats:
    """The mean squared error on the ``count`` values that are truly the largest."""
    largest = np.argsort(-truth, kind="stable")[:count]
    return mean_squared_error(estimates[..., largest], truth[largest])


def group_error(estimates: Floats, truth: Floats, groups: Ints, *, clip: bool = False) -> Floats:
    """The mean squared error of the totals of groups, each value being in the group it names.

    With ``clip`` negative totals are raised to 0 (post-pos).
    """
    members = np.eye(int(groups.max()) + 1)[groups]
    totals = estimates @ members
    return mean_squared_error(np.maximum(totals, 0.0) if clip else totals, truth @ members)


def set_size(percent: float, size: int) -> int:
    """How many values are ``percent`` of the domain: at least one."""
    return max(1, round(percent / 100 * size))


def subset_error(estimates: Floats, truth: Floats, count: int) -> Floats:
    """The squared error of the total of ``count`` values, exactly averaged over all such sets."""
    errors = estimates - truth
    d, m = errors.shape[-1], count
    squares, square = np.sum(errors**2, axis=-1), np.sum(errors, axis=-1) ** 2
    both = m * (m - 1) / (d * (d - 1)) if d > 1 else 0.0
    mean: Floats = m / d * squares + both * (square - squares)
    return np.maximum(mean, 0.0)


def clipping_gain(
    estimate: Floats,
    truth: Floats,
    counts: Sequence[int],
    random: np.random.Generator,
    draws: int = 20,
) -> Floats:
    """What raising negative totals to 0 changes in :func:`subset_error`, one number a set size.

    Clipping is not linear, so sets are drawn, but only the difference to the
    unclipped total, which is mostly 0, is left to chance.
    """
    gain = np.zeros(len(counts))
    last = np.asarray(counts) - 1
    for _ in range(draws):
        order = random.permutation(len(truth))
        totals, true = np.cumsum(estimate[order])[last], np.cumsum(truth[order])[last]
        gain += np.where(totals < 0, true**2 - (totals - true) ** 2, 0.0)
    return gain / draws

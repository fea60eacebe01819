"""Windows whose level differs from the others: found with a stated rate of false alarms.

Every run of 1, 2, 4, ... windows is compared with all others, and every run to the end: the mean inside
minus the mean outside, over its standard error.  The largest is a shift where its p-value times the number
of runs is below ``alpha`` (Bonferroni): in at most that part of series whose level never changes is anything
found.  What is found is set aside, and the rest is looked at again, so that a second shift is not hidden by
the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import Answer
from sottovoce.answers.comparing import ratio_of
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats

__all__ = ["Shift", "find_shifts"]

Windows = NDArray[np.int64]
"""Indices of windows."""
_TIE = 1e-9
"""Of two windows each is a run, and both stand apart equally far: rounding does not choose."""


@dataclass(frozen=True)
class Shift:
    """Windows from ``first`` to ``last`` that differ from the rest, by ``change``.

    Parameters
    ----------
    first, last : str
        The windows.
    change : Answer
        Their mean minus that of the others; ``adjusted`` counts all runs that were looked at.

    Examples
    --------
    >>> from sottovoce.answers.answer import Answer
    >>> print(Shift("2026-11-18", "2026-11-18", Answer(-0.2, 0.02, -0.24, -0.16, adjusted=1e-9)))
    2026-11-18: -0.2000 +- 0.0200 against the other windows, p = 1e-09
    """

    first: str
    last: str
    change: Answer

    @property
    def p(self) -> float:
        """Its p-value, with all runs counted that were looked at."""
        return self.change.adjusted or 0.0

    def __str__(self) -> str:
        when = self.first if self.first == self.last else f"{self.first} to {self.last}"
        value, stderr = f"{self.change.value:+.4f}", f"{self.change.stderr:.4f}"
        return (
            f"{when}: {value} +- {stderr} against the other windows, p = {self.change.adjusted:.3g}"
        )


def find_shifts(
    windows: Sequence[str],
    values: Floats,
    bounds: tuple[Floats, Floats],
    combine: Callable[[Floats], Answer],
    alpha: float,
) -> list[Shift]:
    """All shifts, the clearest first.

    ``bounds`` are those of the covariance of windows; ``combine`` gives the answer of weighted windows.
    """
    level = check_real(alpha, "alpha", "shifts", "between 0 and 1")
    if not 0 < level < 1:
        raise InvalidInput("alpha", "shifts", "between 0 and 1", alpha)
    precision = 1 / np.maximum(np.diag(bounds[1]), np.finfo(float).tiny)
    left, found = np.arange(len(windows)), list[Shift]()
    while len(left) > 1:
        starts, ends = runs = _runs(len(left))
        low, high = (each[np.ix_(left, left)] for each in bounds)
        best = _clearest(runs, values[left], precision[left], low, high)
        run = slice(starts[best], ends[best])
        inside, left = left[run], np.delete(left, run)
        change = combine(_contrast(precision, inside, left))
        adjusted = min(1.0, (change.p_value or 0.0) * len(starts))
        if adjusted > level:
            break
        change = replace(change, adjusted=adjusted)
        found.append(Shift(windows[inside[0]], windows[inside[-1]], change))
    return found


def _contrast(precision: Floats, inside: Windows, outside: Windows) -> Floats:
    """Weights of the mean inside minus the mean outside."""
    weights = np.zeros(len(precision))
    weights[inside] = precision[inside] / precision[inside].sum()
    weights[outside] = -precision[outside] / precision[outside].sum()
    return weights


def _clearest(
    runs: tuple[Windows, Windows], values: Floats, weights: Floats, low: Floats, high: Floats
) -> int:
    """The run whose contrast is the most standard errors from 0; all runs in one pass over the pairs.

    Two windows on one side have a positive product of weights and two on different sides a negative
    one, so the largest variance of a contrast takes the upper bound of their covariance within both
    sides and the lower one across.  With H and L the bounds times the weights of both windows, and W the
    sum of weights of a side,

        V = H_inside / W_in^2 + H_outside / W_out^2 - 2 L_across / (W_in W_out),

    and the sum over the pairs of any run comes from four sums over the pairs before a corner.
    """
    starts, ends = runs
    products = np.outer(weights, weights)
    upper, lower = products * high, products * low
    within, rows = _within(upper, starts, ends), _between(upper.sum(axis=1), starts, ends)
    across = _between(lower.sum(axis=1), starts, ends) - _within(lower, starts, ends)
    inside = _between(weights, starts, ends)
    outside = weights.sum() - inside
    rest = upper.sum() - 2 * rows + within
    variance = within / inside**2 + rest / outside**2 - 2 * across / (inside * outside)
    sums = _between(weights * values, starts, ends)
    change = sums / inside - ((weights @ values) - sums) / outside
    away = ratio_of(change, np.sqrt(np.maximum(variance, 0.0)))
    return int(np.argmax(away >= away.max() * (1 - _TIE)))


def _between(each: Floats, starts: Windows, ends: Windows) -> Floats:
    """The sum over the windows of every run."""
    sums = np.concatenate([[0.0], each.cumsum()])
    return np.asarray(sums[ends] - sums[starts])


def _within(pairs: Floats, starts: Windows, ends: Windows) -> Floats:
    """The sum over the pairs of windows of every run."""
    sums = np.zeros((len(pairs) + 1,) * 2)
    sums[1:, 1:] = pairs.cumsum(axis=0).cumsum(axis=1)
    return np.asarray(sums[ends, ends] - 2 * sums[starts, ends] + sums[starts, starts])


def _runs(windows: int) -> tuple[Windows, Windows]:
    """Where runs of 1, 2, 4, ... up to half of the windows, and all that reach the end, start and end."""
    starts, ends = [], []
    length = 1
    while 2 * length <= windows:
        starts.append(np.arange(windows - length + 1))
        ends.append(starts[-1] + length)
        length *= 2
    to_end = np.arange(1, windows)
    run = windows - to_end
    to_end = to_end[((run & (run - 1)) != 0) | (2 * run > windows)]  # the others are there
    return np.concatenate([*starts, to_end]), np.concatenate([*ends, np.full(len(to_end), windows)])

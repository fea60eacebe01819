"""Windows whose level differs from the others: found with a stated rate of false alarms.

Every run of 1, 2, 4, ... windows is compared with all others, and every run to the end: the mean inside
minus the mean outside, over its standard error.  The largest is a shift where its p-value times the number
of runs is below ``alpha`` (Bonferroni): in at most that part of series whose level never changes is anything
found.  What is found is set aside, and the rest is looked at again, so that a second shift is not hidden by
the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import Answer
from sottovoce.base.checks import check_real
from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats

__all__ = ["Shift", "find_shifts"]


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
    variances: Floats,
    combine: Callable[[Floats], Answer],
    alpha: float,
) -> list[Shift]:
    """All shifts, the clearest first; ``combine`` gives the answer of weighted windows."""
    level = check_real(alpha, "alpha", "shifts", "between 0 and 1")
    if not 0 < level < 1:
        raise InvalidInput("alpha", "shifts", "between 0 and 1", alpha)
    precision = 1 / np.maximum(variances, np.finfo(float).tiny)
    left, found = np.ones(len(windows), dtype=bool), list[Shift]()
    while True:
        shift = _clearest(windows, precision, left, combine)
        if shift is None or shift[0].p > level:
            return found
        found.append(shift[0])
        left[shift[1]] = False


def _clearest(
    windows: Sequence[str],
    precision: Floats,
    left: NDArray[np.bool_],
    combine: Callable[[Floats], Answer],
) -> tuple[Shift, list[int]] | None:
    there = np.flatnonzero(left)
    runs = list(_runs(len(there)))
    tried = []
    for start, end in runs:
        inside = np.zeros(len(windows))
        outside = np.zeros(len(windows))
        inside[there[start:end]] = precision[there[start:end]]
        rest = np.concatenate([there[:start], there[end:]])
        outside[rest] = precision[rest]
        tried.append(combine(inside / inside.sum() - outside / outside.sum()))
    if not tried:
        return None
    best = min(range(len(tried)), key=lambda i: tried[i].p_value or 0.0)
    start, end = runs[best]
    change = replace(tried[best], adjusted=min(1.0, (tried[best].p_value or 0.0) * len(runs)))
    chosen = there[start:end].tolist()
    return Shift(windows[chosen[0]], windows[chosen[-1]], change), chosen


def _runs(windows: int) -> Iterator[tuple[int, int]]:
    """Runs of 1, 2, 4, ... up to half of the windows, and all that reach the end."""
    length = 1
    while 2 * length <= windows:
        for start in range(windows - length + 1):
            yield start, start + length
        length *= 2
    for start in range(1, windows):
        run = windows - start
        if run & (run - 1) or 2 * run > windows:
            yield start, windows

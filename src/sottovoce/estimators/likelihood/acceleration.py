"""The likeliest distribution among many values: EM, accelerated by its own past (Anderson).

A pass of EM moves ``x = log w`` by ``f(x) = log ratio``, and ``f = 0`` where a share stays.
From the last passes, ``f`` is known along the directions walked.  The next point is the EM
step from that combination of them at which f would be least if it were linear:

    x' = x + f - sum_k gamma_k (dx_k + df_k),      gamma = argmin |f - sum_k gamma_k df_k|

The norm weighs every value by its share, lest vanishing ones decide.  In the logarithm
shares stay positive, and those that go to 0 go there at once.  A step that lowers the
likelihood is taken back, the past forgotten, and a plain pass taken: the likelihood
never falls.  A pass costs what one of EM does, and 2 m d for m remembered passes.

Reference: Anderson 1965; for EM, Henderson and Varadhan 2019.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.estimators.likelihood.base import Optimum, as_distribution, gap_of

__all__ = ["accelerated"]

MOST_PASSES = 20_000
_REMEMBERED = 16
_RIDGE = 1e-10
"""Relative weight that keeps nearly parallel directions apart."""
_DOWN, _UP = 30.0, 10.0
"""The most that one step may divide or multiply a share by, as logarithms."""
_LOWEST = 1e-300


def accelerated(
    step: Callable[[Floats], tuple[Floats, float]],
    total: float,
    start: Floats,
    *,
    gap: float,
    meter: Meter | None = None,
    most: int = MOST_PASSES,
) -> Optimum:
    """Passes of ``step`` from ``start`` until the log-likelihood is within ``gap`` of its maximum.

    ``step`` is an ``em_step``, ``total`` its sum of counts.  After ``most`` passes the
    best so far is returned with its own gap.
    """
    shares = as_distribution(np.maximum(start, _LOWEST))
    ratio, likelihood = step(shares)
    history, passes, past = [likelihood], 1, _Past()
    best = Optimum(shares, gap_of(ratio, total), ())
    while best.gap > gap and passes < most:
        tried = past.step(np.log(shares), np.log(np.maximum(ratio, _LOWEST)), np.sqrt(shares))
        found, reached = step(tried)
        passes += 1
        if not reached >= likelihood:
            past = _Past()
            tried = as_distribution(np.maximum(shares * ratio, _LOWEST))
            found, reached = step(tried)
            passes += 1
        shares, ratio, likelihood = tried, found, reached
        history.append(likelihood)
        if (now := gap_of(ratio, total)) < best.gap:
            best = Optimum(shares, now, ())
        if meter is not None:
            meter.show(passes, best.gap)
    return Optimum(best.shares, best.gap, tuple(history))


class _Past:
    """The last points and the moves of EM from them."""

    def __init__(self) -> None:
        self._points: deque[Floats] = deque(maxlen=_REMEMBERED + 1)
        self._moves: deque[Floats] = deque(maxlen=_REMEMBERED + 1)

    def step(self, point: Floats, move: Floats, weight: Floats) -> Floats:
        """The distribution to try after ``point``."""
        self._points.append(point)
        self._moves.append(move)
        nearer = point + move
        if len(self._points) > 1:
            turned = np.diff(np.array(self._moves), axis=0)
            walked = np.diff(np.array(self._points), axis=0)
            scaled = turned * weight
            normal = scaled @ scaled.T
            normal[np.diag_indices(len(normal))] *= 1 + _RIDGE
            known = np.linalg.lstsq(normal, scaled @ (move * weight), rcond=None)[0]
            nearer = np.clip(nearer - known @ (walked + turned), point - _DOWN, point + _UP)
        raised = np.exp(nearer - nearer.max())
        return as_distribution(np.maximum(raised, _LOWEST))

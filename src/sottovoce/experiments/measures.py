"""What random sets of values need beside :mod:`sottovoce.metrics`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sottovoce.channels.base import Floats

__all__ = ["clipping_gain", "set_size"]


def set_size(percent: float, size: int) -> int:
    """How many values are ``percent`` of the domain: at least one."""
    return max(1, round(percent / 100 * size))


def clipping_gain(
    estimate: Floats,
    truth: Floats,
    counts: Sequence[int],
    random: np.random.Generator,
    draws: int = 20,
) -> Floats:
    """What raising negative totals to 0 changes in :func:`~sottovoce.metrics.subset_error`, one number a set size.

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

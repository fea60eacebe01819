"""The nearest distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["project_to_simplex"]

Floats = NDArray[np.float64]


def project_to_simplex(shares: Floats, total: float = 1.0) -> Floats:
    """The nearest point (Euclidean) with no negative share and the given total.

    It is ``max(f + delta, 0)`` for the one delta that gives the total: sorted
    from the largest, delta is ``(total - sum of the first k) / k`` for the last
    k whose smallest member stays positive.
    """
    if total <= 0:
        return np.zeros_like(shares)
    largest_first = np.sort(shares)[::-1]
    deltas = (total - np.cumsum(largest_first)) / np.arange(1, len(shares) + 1)
    last = int(np.flatnonzero(largest_first + deltas > 0)[-1])
    projected = np.maximum(shares + deltas[last], 0.0)
    return projected * (total / projected.sum())  # rounding only: the factor is 1 to 1e-15

"""The covariance of the unbiased table of one set of questions.

Every report of the set adds ``g_v = B' e_v`` of its cell to the share of the table's cell v.  With x the cell
frequencies among its n reports,

    Cov = G [diag(x) - x x'] G' / n,

about the population, for shares shifted evenly to sum to 1.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sottovoce.channels.base import Channel, Floats

__all__ = ["MOST_CELLS", "set_covariance"]

MOST_CELLS = 512
"""Cells of a table up to which all covariances are written out (2 MB)."""
_MOST_ENTRIES = 2**22
"""Cells of the table times cells of the tally up to which they are (32 MB)."""


def set_covariance(channel: Channel, frequencies: Floats, n: float) -> Floats | None:
    """Of all cells of the table; None where these are too many."""
    if channel.inputs > MOST_CELLS or channel.inputs * channel.cells > _MOST_ENTRIES:
        return None
    gains = _gains(channel)
    away = gains - (gains @ frequencies)[:, None]
    return (away * frequencies) @ away.T / n


@lru_cache(maxsize=64)
def _gains(channel: Channel) -> Floats:
    """What every cell of the tally adds to every cell of the table, less its mean over the table."""
    assert channel.inverse is not None  # every set has a pure oracle
    inverse, size = channel.inverse, channel.inputs
    return np.stack([inverse.adjoint(unit - 1 / size) for unit in np.eye(size)])

"""What likelihood methods share: the climb, its start, its certificate, and whom it fits.

The log-likelihood of a distribution w is ``l(w) = sum c log(A w)`` over the cells of a
tally, or ``sum log(L w)`` over whole reports.  It is concave.  With
``ratio = A'(c / A w) / sum c`` its gradient is ``sum c`` times the ratio, and
``w . ratio = 1``.  Hence for any distribution u, by concavity of the logarithm,

    l(u) - l(w) <= sum c (u . ratio - 1) <= sum c (max ratio - 1)

The right side, the *gap*, bounds how far w is from the best without knowing the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.channels.dense import DenseChannel
from sottovoce.core.mechanism import Mechanism
from sottovoce.estimators.observed import Observations

__all__ = [
    "NEGLIGIBLE",
    "Optimum",
    "as_distribution",
    "first_shares",
    "gap_of",
    "unidentified",
]

NEGLIGIBLE = 1e-290
"""Shares below this become 0 before they turn into slow denormal numbers."""

_MASS_ERROR = 1e-6
"""How far from 1 the shares of a start may sum."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best distribution found, its gap, and the log-likelihood on the way."""

    shares: Floats
    gap: float
    history: tuple[float, ...]


def gap_of(ratio: Floats, total: float) -> float:
    """``sum c (max ratio - 1)``: the log-likelihood is at most this far below its maximum."""
    return max(0.0, total * (float(ratio.max()) - 1.0))


def as_distribution(shares: Floats) -> Floats:
    """The shares with their rounding errors scaled away: the sum is 1."""
    scaled: Floats = shares / shares.sum()
    return scaled


def first_shares(observed: Observations, start: Any, owner: str) -> Floats:
    """Where a climb starts: uniform, or ``start`` if it is a distribution that explains all reports."""
    size = observed.channel.inputs
    shares = np.full(size, 1 / size) if start is None else _checked(start, size, owner)
    with np.errstate(divide="ignore", invalid="ignore"):
        _, likelihood = observed.em_step(shares)
    if not np.isfinite(likelihood):
        if start is None:
            whose, allowed = f"tally of {observed.name}", "0 where no report can fall"
            raise InvalidInput("cells", whose, allowed, "reports that no value gives")
        allowed = "positive where reports need it"
        raise InvalidInput("start", owner, allowed, "shares under which some are impossible")
    return shares


def _checked(start: Any, size: int, owner: str) -> Floats:
    """A given start, which must be a distribution."""
    allowed = f"{size} shares that are not negative and sum to 1"
    try:
        shares = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("start", owner, allowed, start) from None
    if shares.shape != (size,):
        raise InvalidInput("start", owner, allowed, f"shape {shares.shape}")
    wrong = not np.isfinite(shares).all() or shares.min() < 0
    if wrong or abs(float(shares.sum()) - 1) > _MASS_ERROR:
        raise InvalidInput("start", owner, allowed, start)
    return as_distribution(shares)


def unidentified(mechanism: Mechanism) -> str:
    """Why no likelihood can tell a distribution from reports of ``mechanism``; empty where one can."""
    channel = mechanism.channel()
    if not channel.identifies_distribution:
        of_keys = "" if mechanism.domain.keyed is None else " of every key"
        return f"its reports identify at most a mean{of_keys}, no distribution"
    if isinstance(channel, DenseChannel) and channel.inverse is None:
        return (
            "different distributions give the same reports, so the distribution is not identified"
        )
    return ""

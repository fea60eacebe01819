"""The textbook: support probabilities and variances, on purpose not taken from the library.

A pure oracle's report supports its sender's value with probability p and any
other value with probability q.  If the library derived p and q wrongly, its own
variances would be wrong in the same way and agree with its errors; these would
not.  Reference: Wang, Blocki, Li, Jha 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Support", "hash_range_of_peers", "textbook"]

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Support:
    """Chances that a report supports one's own value (``p``) and another one (``q``)."""

    p: float
    q: float

    def mean_variance(self, truth: Shares, n: int) -> float:
        """The expected mean squared error of the unbiased shares of ``n`` people.

        The mean over values of ``[q(1-q) + f(p-q)(1-p-q)] / (n (p-q)^2)``.
        """
        p, q = self.p, self.q
        scaled = (q * (1 - q) + truth * (p - q) * (1 - p - q)) / (p - q) ** 2
        return float(scaled.mean() / n)

    def unbiased(self, supported: Shares, n: int) -> Shares:
        """Shares from how many of ``n`` reports support each value."""
        return (supported / n - self.q) / (self.p - self.q)


def textbook(oracle: str, size: int, epsilon: float, hash_range: int | None = None) -> Support:
    """The probabilities of ``oracle`` (grr, oue or olh, the names of the papers)."""
    e = math.exp(epsilon)
    if oracle == "grr":
        return Support(e / (e + size - 1), 1 / (e + size - 1))
    if oracle == "oue":
        return Support(1 / 2, 1 / (e + 1))
    if oracle == "olh":
        g = hash_range_of_peers(epsilon) if hash_range is None else hash_range
        return Support(e / (e + g - 1), 1 / g)
    raise ValueError(f"no textbook probabilities for {oracle!r}")


def hash_range_of_peers(epsilon: float) -> int:
    """The range to which pure-ldp and multi-freq-ldpy hash: ``round(e^epsilon) + 1``."""
    return round(math.exp(epsilon)) + 1

"""The textbook: support probabilities and variances, on purpose not taken from the library.

A pure oracle's report supports its sender's value with probability p and any
other value with probability q.  If the library derived p and q wrongly, its own
variances would be wrong in the same way and agree with its errors; these would
not.  References: Wang, Blocki, Li, Jha 2017; Ye, Barg 2018 (ss); Acharya, Sun,
Zhang 2019 (hr).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Support", "hash_range_of_peers", "subset_size_of_peers", "textbook"]

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


def textbook(oracle: str, size: int, epsilon: float, choice: int | None = None) -> Support:
    """The probabilities of ``oracle`` (grr, oue, olh, ss or hr, the names of the papers).

    ``choice`` is what an oracle leaves to its user: the hash range of olh, the
    subset size of ss.  Without it, that of the peers.
    """
    e = math.exp(epsilon)
    if oracle == "grr":
        return Support(e / (e + size - 1), 1 / (e + size - 1))
    if oracle == "oue":
        return Support(1 / 2, 1 / (e + 1))
    if oracle == "olh":
        g = hash_range_of_peers(epsilon) if choice is None else choice
        return Support(e / (e + g - 1), 1 / g)
    if oracle == "ss":
        k = subset_size_of_peers(size, epsilon) if choice is None else choice
        p = k * e / (k * e + size - k)
        return Support(p, (p * (k - 1) + (1 - p) * k) / (size - 1))
    if oracle == "hr" and epsilon <= 1:  # above, the rows are better cut into blocks
        return Support(e / (e + 1), 1 / 2)
    raise ValueError(f"no textbook probabilities for {oracle!r}")


def hash_range_of_peers(epsilon: float) -> int:
    """The range to which pure-ldp and multi-freq-ldpy hash: ``round(e^epsilon) + 1``."""
    return round(math.exp(epsilon)) + 1


def subset_size_of_peers(size: int, epsilon: float) -> int:
    """The subset size of multi-freq-ldpy: ``d / (e^epsilon + 1)``, rounded, at least 1."""
    return max(1, round(size / (math.exp(epsilon) + 1)))

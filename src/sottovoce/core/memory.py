"""What windows of one survey share where devices keep a permanent answer.

Given the memos, a report is an unbiased answer of its own: ``E[g(report) | memo] = h(memo)``, where g is
what a report adds to an answer.  The fresh rounds of two windows are independent, so a person who holds
the same value in both adds ``Var(h(memo))`` to the covariance of the two answers, and over n people of
whom a part rho stayed

    n Cov = rho V,   V = sum_v f_v Var(h(memo) | v).

V is the variance that the first round alone would have.  Where the device also keeps a hash, people whose
value changed share something too: ``rho + (1 - rho) kappa`` takes the place of rho.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sottovoce.channels.base import Channel, Floats

__all__ = ["Leftover", "Memory"]


@dataclass(frozen=True, eq=False)
class Leftover:
    """What cells hold beside the shares: noise of mean 0 whatever the shares, from which overlap is told.

    ``of`` takes the cells of a tally to it; it has ``freedom`` dimensions, and between two windows it
    correlates ``kept`` times as much as the memos do.
    """

    of: Callable[[Floats], Floats]
    freedom: int
    kept: float


@dataclass(frozen=True, eq=False)
class Memory:
    """The permanent round of a mechanism, as far as answers over several windows need it.

    Parameters
    ----------
    kept : Channel
        From values to memos, counted in the cells of the reports.
    told : callable
        From the gains g of cells to the gains h of memos.
    kappa : float
        What people share whose value changed, in parts of what those share who kept theirs.
    leftover : Leftover, optional
        From which the overlap can be estimated, where the mechanism has it.
    """

    kept: Channel
    told: Callable[[Floats], Floats]
    kappa: float = 0.0
    leftover: Leftover | None = None

    def variance_of(self, weights: Floats, gains: Floats, shares: Floats) -> float:
        """V of the answer ``weights . shares``, of which every cell of a report adds ``gains``."""
        told = self.told(gains)
        means = weights if self.kept.blocks > 1 else self.kept.adjoint(told)
        spread = self.kept.forward(shares) @ told**2 - shares @ means**2
        return max(0.0, float(spread))

    def variance(self, shares: Floats) -> Floats:
        """V of every share, for pure oracles."""
        odds = self.kept.support_probabilities
        assert odds is not None  # asked for by who knows
        return np.maximum(odds.variance(shares), 0.0)

"""The methods compared, and all of their answers to one tally."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.core.tally import Tally
from sottovoce.estimators.run import run_method
from sottovoce.estimators.unbiased import UnbiasedShares, unbiased_shares

__all__ = ["AUTO", "OURS", "PUBLISHED", "TITLES", "Answers", "answers_to"]

TITLES = {
    "unbiased": "Base", "base-pos": "Base-Pos", "post-pos": "Post-Pos", "base-cut": "Base-Cut",
    "norm": "Norm", "norm-mul": "Norm-Mul", "norm-sub": "Norm-Sub", "norm-cut": "Norm-Cut",
    "norm-hyb": "Norm-Hyb", "mle-apx": "MLE-Apx", "power": "Power", "power-ns": "Power-NS",
    "exchangeable": "Exchangeable", "auto": "auto",
}  # fmt: skip
"""Our names, and those of the paper."""

PUBLISHED = tuple(TITLES)[:11]
"""Base and the ten post-processings of the paper."""
OURS = ("power-ns", "exchangeable")
AUTO = "auto"
"""What the library chooses by itself, for each goal."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Shares by every method that applies, as rows, from one tally.

    ``shares`` holds the rows of ``methods``; the automatic choice for a goal is
    one more row, ``auto[goal]``.  ``clipped`` is the row whose *answers* are raised to 0.
    """

    methods: tuple[str, ...]
    shares: Floats
    auto: dict[str, Floats]
    raw: UnbiasedShares

    @property
    def clipped(self) -> int:
        """The row of post-pos."""
        return self.methods.index("post-pos")

    def rows(self, goal: str) -> Floats:
        """The shares of all methods, and last those of the automatic choice for ``goal``."""
        return np.vstack([self.shares, self.auto[goal]])

    def single(self, goal: str) -> Floats:
        """The same, as answers about single values: those of post-pos are raised to 0."""
        rows = self.rows(goal)
        rows[self.clipped] = np.maximum(rows[self.clipped], 0.0)
        return rows


def answers_to(tally: Tally, methods: tuple[str, ...] = PUBLISHED + OURS) -> Answers:
    """What each of ``methods`` makes of the tally; those that do not apply are left out."""
    raw = unbiased_shares(tally)
    rows = {
        name: _shares(tally, name)
        for name in methods
        if name != "mle-apx" or raw.channel.support_probabilities is not None
    }
    auto = {goal: _shares(tally, "auto", goal) for goal in ("distribution", "subset", "top")}
    return Answers(tuple(rows), np.array(list(rows.values())), auto, raw)


def _shares(tally: Tally, method: str, goal: str = "distribution") -> Floats:
    return run_method(tally, method, goal=goal).require_shares("experiment")

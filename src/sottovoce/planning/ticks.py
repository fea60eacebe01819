"""The error of the share of people who tick an option, for sets of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.choices import Choices
from sottovoce.planning.result import Prospect

__all__ = ["TickYardstick", "tick_yardstick"]


def tick_yardstick(domain: Choices, goal: str | None, shares: Any, of: Any) -> TickYardstick:
    """The yardstick for a guess of the shares; one box per person, evenly, if there is none."""
    if goal not in (None, "shares", "distribution"):
        raise InvalidInput("goal", "plan", f"shares: {domain} has no numbers", goal)
    size = domain.options.size
    guess = np.full(size, 1 / size) if shares is None else np.asarray(shares, dtype=np.float64)
    if guess.shape != (size,) or not (
        np.isfinite(guess).all() and guess.min() >= 0 and guess.max() <= 1
    ):
        allowed = f"{size} numbers from 0 to 1, which need not sum to 1"
        raise InvalidInput("shares", "plan", allowed, shares)
    index = int(guess.argmax()) if of is None else domain.options.index(of)
    return TickYardstick(domain, guess, index)


@dataclass(frozen=True, eq=False)
class TickYardstick:
    """The root-mean-square error of a share, over all options."""

    domain: Choices
    shares: Floats
    index: int
    """Of the option whose own error is told besides."""
    goal: str = "shares"

    @property
    def told(self) -> str:
        label, share = self.domain.options.label(self.index), self.shares[self.index]
        return f"share error: of the option {label}, if {share:.4g} of people tick it"

    def why_not(self, mechanism: Mechanism, *, users: int | None) -> str:
        return ""

    def _variances(self, mechanism: Mechanism) -> Floats:
        channel = mechanism.channel().choices
        assert channel is not None  # mechanisms over sets have one
        blanks = np.zeros(channel.items - len(self.shares))
        return channel.planned_variances(np.append(self.shares, blanks))[: len(self.shares)]

    def parts(self, mechanism: Mechanism) -> tuple[float, float]:
        """V and M, on average over options."""
        return float(self._variances(mechanism).mean()), 0.0

    def prospect(
        self, mechanism: Mechanism, name: str, users: int, needed: float | None
    ) -> Prospect:
        """The errors of one mechanism."""
        squares = self._variances(mechanism) / users
        rms, one = np.sqrt([squares.mean(), squares[self.index]]).tolist()
        return Prospect(mechanism, name, rms, one, None, needed)

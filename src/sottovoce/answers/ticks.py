"""How far shares of people who tick each option may be from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.channels.base import Floats
from sottovoce.channels.choices import ChoicesChannel
from sottovoce.domains.base import Indices

__all__ = ["TickErrors"]


@dataclass(frozen=True, eq=False)
class TickErrors:
    """The noise of unbiased shares of options, of which one person may tick several.

    About the population, ``n Var = E[g^2] - (E g)^2``, g being what one report adds: exact for every share, and
    for every sum but of reports of several items, where it is a bound, whatever is ticked together.  About these
    respondents it is smaller by the variance of what they tick: ``t (1 - t)`` for one option.  Of several together
    that is not known, as reports do not say which options are ticked together; the error about the
    population stands for it, and is never too small.
    """

    channel: ChoicesChannel
    n: int
    frequencies: Floats
    held: Floats
    """Shares of people who hold each item."""
    shown: Indices
    """The items whose shares are shown."""

    def _single(self, about: str) -> Floats:
        """n times the variance of every shown share."""
        variances = self.channel.item_variances(self.frequencies)[self.shown]
        if about == "population":
            return variances
        shares = np.clip(self.held[self.shown], 0.0, 1.0)
        return np.maximum(variances - shares * (1 - shares), 0.0)

    def stderr(self, about: str) -> Floats:
        return np.sqrt(self._single(about) / self.n)

    def stderr_of(self, weights: Floats, about: str) -> float:
        asked = np.flatnonzero(weights)
        if len(asked) == 1:
            only = int(asked[0])
            return float(abs(weights[only]) * self.stderr(about)[only])
        of_items = np.zeros(self.channel.items)
        of_items[self.shown] = weights
        variance = self.channel.item_variance(of_items, self.frequencies, self.held)
        return float(np.sqrt(max(0.0, variance) / self.n))

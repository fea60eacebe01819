"""Shares of people who tick each option, from reports about sets."""

from __future__ import annotations

import numpy as np

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.ticks import TickErrors
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Domain

__all__ = ["estimate_of_ticks", "only_options"]


def only_options(mechanism: Mechanism) -> bool:
    """Whether values are sets of options, of which reports tell the shares of each."""
    return mechanism.domain.choices is not None and mechanism.channel().choices is not None


def estimate_of_ticks(tally: Tally, method: str, why: str) -> Estimate:
    """Unbiased shares of options, and where blanks are reported of "none of these".

    They need not sum to 1.  The blank of slot 0 is held by those who tick nothing.
    """
    mechanism = tally.mechanism
    domain, channel = mechanism.domain.choices, mechanism.channel().choices
    assert domain is not None and channel is not None  # asked before
    frequencies = tally.cells / tally.n
    held = channel.shares_of_items(frequencies)
    options = domain.options.size
    answered: Domain = domain.answered if channel.items > options else domain.options
    shown = np.arange(answered.size)
    reason = "these reports identify only how many tick each option, not which are ticked together"
    return Estimate(
        answered, held[shown], tally.n, method, f"{why}; {reason}",
        TickErrors(channel, tally.n, frequencies, held, shown), boxes=domain.most,
    )  # fmt: skip

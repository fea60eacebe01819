"""What fake senders can make of the share of people who tick an option."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Floats
from sottovoce.domains.choices import Choices
from sottovoce.privacy.shifts import HonestPopulation

__all__ = ["push_ticks"]


def push_ticks(
    honest: HonestPopulation, domain: Choices, values: Any, fakes: float
) -> tuple[float, float, str]:
    """How far ``fakes`` push the share of one option up and down, and its label.

    Without a tally, people are assumed to tick it, or not, as lets fakes push farthest.
    """
    channel = honest.mechanism.channel().choices
    if channel is None or values is None or isinstance(values, (list, tuple, set, frozenset)):
        raise Unfit(f"influence over {domain} is asked of one option: values=")
    if values not in domain.options.labels():
        allowed = f"one of {', '.join(map(str, domain.options.labels()))}"
        raise InvalidInput("values", "influence", allowed, values)
    weights = np.zeros(channel.items)
    weights[domain.options.index(values)] = 1.0
    least, most = channel.reach_of_reports(channel.gains_of_items(weights))
    low, high = 0.0, 1.0
    if honest.tally is not None:
        held: Floats = channel.shares_of_items(honest.tally.cells / honest.tally.n)
        low = high = float(held @ weights)
    return fakes * (most - low), fakes * (high - least), f"the share of {values}"

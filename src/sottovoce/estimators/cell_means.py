"""Answers straight from the cells, for mechanisms whose reports give no unbiased shares.

Some sums of shares may be told nevertheless: the mean of numbers, over pairs of keys and numbers the
frequency and the mean of every key, or over records the shares of every question.
"""

from __future__ import annotations

import math

import numpy as np

from sottovoce.answers.errors import CellErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.keys import key_weights
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.domains.interval import Interval
from sottovoce.estimators.ticks import estimate_of_ticks, only_options

__all__ = [
    "average_noise",
    "estimate_without_shares",
    "from_the_middle",
    "mean_gains",
    "only_keys",
    "only_questions",
    "only_the_mean",
    "only_told",
]


def from_the_middle(domain: Interval) -> tuple[float, Floats]:
    """The mean m of the middles of all bins, and ``midpoints - m``.

    A mean is ``m + (midpoints - m) . shares``: unbiased shares need not sum to 1, and what they
    lack would be counted as numbers at 0.
    """
    middle = domain.center
    return middle, domain.midpoints - middle


def mean_gains(mechanism: Mechanism, channel: Channel | None = None) -> CellWeights | None:
    """What each cell adds to the mean of the numbers; None where that cannot be told.

    ``channel`` is the mechanism's unless one :meth:`~sottovoce.channels.base.Channel.given` a tally
    takes its place.
    """
    domain, channel = mechanism.domain.numbers, channel or mechanism.channel()
    if domain is None or domain.open_end or channel.blocks != 1:
        return None
    middle, places = from_the_middle(domain)
    cell_weights = channel.cell_weights(places)
    return (
        None
        if cell_weights is None
        else CellWeights(cell_weights.values + middle, cell_weights.bias_bound)
    )


def average_noise(mechanism: Mechanism, n: int) -> float:
    """The standard error to expect of the average of n reports, in parts of the interval.

    For people anywhere in the interval alike: ``n Var = (A f) . g^2 - f . (A' g)^2``, with the gains
    g of the mean and shares f = 1 / bins.  It hardly depends on where people are: a mean at an end has
    at most a fifth more or less.
    """
    cell_weights, channel = mean_gains(mechanism), mechanism.channel()
    domain = mechanism.domain.numbers
    assert cell_weights is not None and domain is not None
    least, greatest = domain.span
    shares, seen = (
        np.full(channel.inputs, 1 / channel.inputs),
        cell_weights.values - (least + greatest) / 2,
    )
    spread = channel.forward(shares) @ seen**2 - np.mean(channel.adjoint(seen) ** 2)
    return math.sqrt(max(0.0, float(spread)) / n) / (greatest - least)


def only_the_mean(mechanism: Mechanism) -> bool:
    """Whether an unbiased estimate exists of the mean, but not of the shares."""
    return mechanism.channel().inverse is None and mean_gains(mechanism) is not None


def only_keys(mechanism: Mechanism) -> bool:
    """Whether unbiased estimates exist of the frequency and the mean of a key, but not of shares."""
    domain, channel = mechanism.domain.keyed, mechanism.channel()
    if domain is None or channel.inverse is not None:
        return False
    sums = key_weights(domain, 0), key_weights(domain, 0, domain.interval.midpoints)
    return all(channel.cell_weights(weights) is not None for weights in sums)


def only_questions(mechanism: Mechanism) -> bool:
    """Whether unbiased estimates exist of the shares of questions, but not of whole records."""
    channel = mechanism.channel()
    return channel.record is not None and channel.inverse is None


def only_told(mechanism: Mechanism) -> str:
    """What has an unbiased estimate, in words, where shares have none; else empty."""
    if only_the_mean(mechanism):
        return "the mean"
    if only_questions(mechanism):
        return "shares of questions"
    if only_options(mechanism):
        return "shares of options"
    return "frequencies and means of keys" if only_keys(mechanism) else ""


def estimate_without_shares(tally: Tally, method: str, why: str) -> Estimate:
    """An estimate without shares, of which nothing can be asked but what :func:`only_told` says."""
    mechanism, channel = tally.mechanism, tally.mechanism.channel()
    if only_options(mechanism):
        return estimate_of_ticks(tally, method, why)
    noise = CellErrors(channel, tally.n, tally.cells / tally.n)
    if channel.identifies_distribution:
        reason = (
            f"{mechanism.name} has unbiased answers to {only_told(mechanism)} only, "
            "shares take another method"
        )
    else:
        same = "one mean"
        if mechanism.domain.keyed is not None:
            same = "the same frequencies and means of keys"
        elif mechanism.domain.record is not None:
            same = "records with the same tables of the questions that are asked together"
        reason = f"reports of {mechanism.name} are the same for all distributions of {same}"
    return Estimate(mechanism.domain, None, tally.n, method, f"{why}; {reason}", noise)

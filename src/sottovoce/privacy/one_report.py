"""What one report can add to an unbiased answer: the least and the most.

An unbiased answer ``z . f`` is the average over all reports of a gain, the sum of ``g`` over
the cells that a report falls in (``Channel.cell_weights``).  A sender who does not follow the
mechanism sends whatever report has the least or the largest gain:

- one block: the least and the largest cell;
- several blocks: the sum over blocks of the least and the largest cell of each.  Collectors take
  any combination, a bit a value or a cell a key, whether or not an honest device would send it.
  Of hashing with a seed a report, a combination needs a seed that makes it: for more than one
  value this is a bound.

Where liars choose which r values to speak for, report and values are chosen together.  With a
pure oracle a report adds ``(1-q)/(p-q)`` to every value that it supports and ``-q/(p-q)`` to
every other: they choose the report that supports most values, or fewest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Channel, Floats, SupportProbabilities
from sottovoce.core.mechanism import Mechanism

__all__ = [
    "BOUND",
    "EXACT",
    "TRIED",
    "Range",
    "gains_of",
    "no_unbiased_shares",
    "reach",
    "reach_of_any",
]

EXACT = "exact"
"""Some lie shifts the answer by just that much, and none by more."""
BOUND = "bound"
"""No lie shifts the answer by more; whether one shifts it as much is not known."""
TRIED = "tried"
"""The largest shift by a few lies that were tried; others may shift it more."""

_SMALL = 2**20
"""Entries of values by cells up to which every value's gains are written out."""


@dataclass(frozen=True)
class Range:
    """The ``least`` and the ``most`` that one report adds to an answer."""

    least: float
    most: float
    how: str = EXACT


def gains_of(channel: Channel, weights: Floats) -> Floats | None:
    """What each cell adds to the unbiased answer ``weights . shares``; None where there is none."""
    if channel.inverse is not None:  # the misfit of the gains, often dear, is not asked for
        return channel.inverse.adjoint(weights)
    cell_weights = channel.cell_weights(weights)
    return None if cell_weights is None else cell_weights.values


def reach(mechanism: Mechanism, weights: Floats) -> Range | None:
    """What one report can add to ``weights . shares``; None where that has no unbiased estimate."""
    asked = np.flatnonzero(weights)
    oracle = mechanism.support_probabilities
    if oracle is not None and len(asked) == 1:  # as any gains, without those of all other values
        weight = float(weights[asked[0]])
        ends = sorted(weight * gain for gain in _gains_of_oracle(oracle))
        return Range(ends[0], ends[1])
    channel = mechanism.channel()
    cell_weights = gains_of(channel, weights)
    if cell_weights is None:
        return None
    free = channel.blocks == 1 or mechanism.sends_any_combination
    return Range(*channel.reach_of_reports(cell_weights), EXACT if free else BOUND)


def reach_of_any(mechanism: Mechanism, count: int) -> Range:
    """What one report can add to the total of ``count`` values that its sender chooses."""
    oracle, channel = mechanism.support_probabilities, mechanism.channel()
    size, listed = mechanism.domain.size, mechanism.lists_supported_values
    if oracle is None:
        return _reach_of_any_column(mechanism, count)
    outside, inside = _gains_of_oracle(oracle)
    if count == 1:
        return Range(outside, inside)
    if channel.blocks > 1 or not listed:
        free = listed and mechanism.sends_any_combination
        return Range(count * outside, count * inside, EXACT if free else BOUND)
    of_all = gains_of(channel, np.ones(size))
    assert of_all is not None
    supported = np.rint((of_all - size * outside) / (inside - outside))
    most = min(count, int(supported.max()))
    least = max(0, count - (size - int(supported.min())))
    low, high = (k * inside + (count - k) * outside for k in (least, most))
    return Range(low, high)


def _gains_of_oracle(oracle: SupportProbabilities) -> tuple[float, float]:
    """Of a report that does not support a value, and of one that does."""
    return -oracle.q / (oracle.p - oracle.q), (1 - oracle.q) / (oracle.p - oracle.q)


def _reach_of_any_column(mechanism: Mechanism, count: int) -> Range:
    """Cell by cell, the ``count`` values to which it adds most, and least."""
    channel, size = mechanism.channel(), mechanism.domain.size
    if size * channel.cells > _SMALL:
        if mechanism.same_gains:
            one = reach(mechanism, np.eye(1, size)[0])
            assert one is not None
            return Range(count * one.least, count * one.most, EXACT if count == 1 else BOUND)
        raise Unfit(
            f"of {mechanism} it is not known which {count} of {size} values could be shifted most; "
            "name them by values="
        )
    columns = [gains_of(channel, unit) for unit in np.eye(size)]
    if any(column is None for column in columns):
        raise Unfit(no_unbiased_shares(mechanism))
    cell_weights = np.stack([column for column in columns if column is not None])
    if channel.blocks == 1:
        ordered = np.sort(cell_weights, axis=0)
        least, most = ordered[:count].sum(axis=0).min(), ordered[-count:].sum(axis=0).max()
        return Range(float(least), float(most))
    lows, highs = np.sort([channel.reach_of_reports(column) for column in cell_weights], axis=0).T
    how = EXACT if count == 1 else BOUND
    return Range(float(lows[:count].sum()), float(highs[-count:].sum()), how)


def no_unbiased_shares(mechanism: Mechanism) -> str:
    """Why nothing can be said of shares."""
    return (
        f"{mechanism.name} has no unbiased shares, so that what lies add to one has no bound by "
        "a formula; ask for the mean (mean=True), or name values and a method to try lies on"
    )

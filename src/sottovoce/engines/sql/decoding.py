"""What each cell adds to each unbiased share, as a short list: what SQL needs to estimate.

An unbiased estimate is linear, ``f_v = sum_y B[v, y] x_y`` over the frequencies x of the cells.  Of
an oracle nearly all B are one number b, the one of cells that do not support the value, so that

    f_v = b + sum over listed y of (B[v, y] - b) x_y.

About these respondents ``n Var f_v = sum_y B[v, y]^2 x_y - f_v`` (``Channel.variance_of``, where the
inverse is exact), and the sum of squares is listed in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.core.mechanism import Mechanism

__all__ = ["MOST_LISTED", "Decoding", "decoding_of"]

MOST_LISTED = 2**14
"""Listed pairs at most: half a megabyte of SQL, where some databases stop at one."""
_DIGITS = 11
"""Decimal digits to which weights are told apart: transforms leave the last few to chance."""


@dataclass(frozen=True)
class Decoding:
    """``weight`` for every listed (value, cell), ``default`` for all other pairs."""

    default: float
    values: list[int]
    cells: list[int]
    weights: list[float]

    @property
    def single(self) -> bool:
        """Whether all listed weights are one number."""
        return len(set(self.weights)) <= 1


def decoding_of(mechanism: Mechanism, owner: str) -> Decoding:
    """The unbiased estimate of a mechanism's shares; refused where SQL cannot have it."""
    channel = mechanism.channel()
    if mechanism.domain.size == 1:
        raise Unfit(f"{owner}: {mechanism.domain} has a single value, whose share is 1")
    if channel.inverse is None or not channel.exact_inverse or _depends_on_cells(channel):
        raise Unfit(
            f"{owner}: {mechanism} has no unbiased shares that are one sum over cells. "
            "Count with sv.tally_sql, then estimate with sottovoce"
        )
    first = _row(channel, 0)
    scale = float(np.abs(first).max())
    numbers, counts = np.unique(np.round(first / scale, _DIGITS), return_counts=True)
    usual = numbers[np.argmax(counts)]
    known: dict[float, float] = {}  # one weight for all that differ by rounding alone
    values: list[int] = []
    cells: list[int] = []
    weights: list[float] = []
    for value in range(channel.inputs):
        row = _row(channel, value)
        keys = np.round(row / scale, _DIGITS)
        listed = np.flatnonzero(keys != usual)
        if len(values) + len(listed) > MOST_LISTED:
            raise Unfit(
                f"{owner}: {mechanism} has more than {MOST_LISTED:,} pairs of a value and a cell "
                "that supports it, too many for the text of a query. Count with sv.tally_sql, then "
                "estimate with sottovoce"
            )
        values += [value] * len(listed)
        cells += listed.tolist()
        pairs = zip(keys[listed].tolist(), row[listed].tolist(), strict=True)
        weights += [known.setdefault(key, weight) for key, weight in pairs]
    default = float(first[np.argmax(np.round(first / scale, _DIGITS) == usual)])
    return Decoding(default, values, cells, weights)


def _depends_on_cells(channel: Channel) -> bool:
    """Whether the estimate takes from a tally how many spoke of what, so that it is not linear."""
    uniform = channel.forward(np.full(channel.inputs, 1 / channel.inputs))
    return channel.conditioned_on(uniform) is not channel


def _row(channel: Channel, value: int) -> Floats:
    """B[value, .]."""
    assert channel.inverse is not None
    unit = np.zeros(channel.inputs)
    unit[value] = 1.0
    return channel.inverse.adjoint(unit)

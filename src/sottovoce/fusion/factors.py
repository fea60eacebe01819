"""What one service knows of every user: how likely their report is from each value.

Most mechanisms have few different reports, cells of a table (:class:`TableFactor`).  Oracles whose
reports are sets of values have many: there a report is as likely from every value within the
set, and less likely by one factor from every value without (:class:`SetFactor`).

Either kind also turns a report into a number whose mean is the user's value, and says how much
that number varies for each value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.core.channel import Channel, Floats
from sottovoce.core.errors import InvalidInput, Unfit
from sottovoce.core.interval import Interval
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.estimators.means import mean_gains

__all__ = ["Codes", "Factor", "SetFactor", "TableFactor", "Varying", "factor_of", "varying"]

Codes = NDArray[np.int32]
Bytes = NDArray[np.uint8]

_LARGEST_TABLE = 2**24
"""Entries (128 MB) of reports by values."""
_CHUNK = 2**16
"""Users whose sets are packed at a time."""


@dataclass(frozen=True, eq=False)
class TableFactor:
    """``table[codes[i], v]``; code -1 where a user has no report."""

    codes: Codes
    table: Floats

    def rows(self, some: slice) -> Floats:
        """The likelihoods of some users (down) for all values (across)."""
        codes = self.codes[some]
        likelihood = self.table[codes]
        likelihood[codes < 0] = 1.0
        return likelihood

    @property
    def missing(self) -> bool:
        """Whether some users have no report."""
        return bool(len(self.codes) and self.codes.min() < 0)


@dataclass(frozen=True, eq=False)
class SetFactor:
    """``ratio`` within a user's set, 1 without; a user without report has the empty set."""

    bits: Bytes
    """A row a user, 8 values to a byte."""
    ratio: float
    size: int

    def rows(self, some: slice) -> Floats:
        """The likelihoods of some users (down) for all values (across), up to a constant each."""
        inside = np.unpackbits(self.bits[some], axis=1, count=self.size, bitorder="little")
        return 1.0 + (self.ratio - 1.0) * inside.astype(np.float64)


Factor = TableFactor | SetFactor


def factor_of(
    name: str, mechanism: Mechanism, reports: Reports, rows: NDArray[np.int64] | None
) -> Factor:
    """The likelihoods of all users under the reports of one service."""
    channel = mechanism.channel()
    cells = mechanism.cells_of(reports)
    if cells is not None and channel.cells * channel.inputs <= _LARGEST_TABLE:
        return TableFactor(_placed(cells, rows).astype(np.int32, copy=False), channel.dense())
    if channel.pure is None or mechanism.supports(reports[:1], 0) is None:
        raise Unfit(
            f"{name}: reports of {mechanism} cannot be fused; what can: mechanisms for numbers "
            f"with at most {_LARGEST_TABLE // channel.inputs:,} cells, and oracles over bins"
        )
    certificate = mechanism.certificate()
    ratio = certificate.numerator / certificate.denominator
    return SetFactor(_packed(mechanism, reports, rows), ratio, channel.inputs)


def _placed(cells: NDArray[np.int64], rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The cell of every user, -1 where there is none."""
    if rows is None:
        return cells.astype(np.int64, copy=False)
    return np.where(rows >= 0, cells[rows].astype(np.int64), -1)


def _packed(mechanism: Mechanism, reports: Reports, rows: NDArray[np.int64] | None) -> Bytes:
    size, n = mechanism.domain.size, len(reports)
    packed = np.empty((n, -(-size // 8)), dtype=np.uint8)
    for start in range(0, n, _CHUNK):
        part = reports[start : start + _CHUNK]
        inside = [mechanism.supports(part, v) for v in range(size)]
        packed[start : start + _CHUNK] = np.packbits(np.array(inside).T, axis=1, bitorder="little")
    if rows is None:
        return packed
    users = packed[rows]
    users[rows < 0] = 0
    return users


@dataclass(frozen=True, eq=False)
class Varying:
    """Numbers of one service: right on average for each user, with a variance for each value."""

    numbers: Floats
    """One a user; NaN where there is none."""
    variance: Floats
    """Of such a number, by value."""
    misfit: float
    """How far its mean may be from the value."""


def varying(name: str, mechanism: Mechanism, factor: Factor) -> Varying:
    """Unbiased numbers from reports: of a table the gains of its cells, of a set its sum.

    A set S says ``(sum over S of z - q sum z) / (p - q)`` about ``z . shares``.
    """
    domain, channel = mechanism.domain, mechanism.channel()
    if not isinstance(domain, Interval):
        raise InvalidInput("domain", name, "an Interval, for a mean", domain)
    places = domain.midpoints
    if isinstance(factor, TableFactor):
        gains = mean_gains(mechanism)
        if gains is None:
            raise Unfit(f"{name}: reports of {mechanism} do not tell a mean")
        numbers = gains.values[factor.codes]
        numbers[factor.codes < 0] = np.nan
        mean = factor.table.T @ gains.values
        variance = factor.table.T @ gains.values**2 - mean**2
        return Varying(numbers, np.maximum(variance, 0.0), gains.misfit)
    pure = channel.pure
    assert pure is not None
    scale = pure.p - pure.q
    sums = np.concatenate(
        [
            np.unpackbits(part, axis=1, count=factor.size, bitorder="little") @ places
            for part in np.array_split(factor.bits, max(1, len(factor.bits) // _CHUNK))
        ]
    )
    numbers = (sums - pure.q * places.sum()) / scale
    numbers[~factor.bits.any(axis=1)] = np.nan
    return Varying(numbers, _variances(channel, places), 0.0)


def _variances(channel: Channel, places: Floats) -> Floats:
    """Of the answer of one report, for every value it may come from."""
    units = np.eye(channel.inputs)
    return np.array([channel.variance_of(places, channel.forward(u), u) for u in units])

"""What one service knows of every user: how likely their report is from each value.

Most mechanisms have few different reports, cells of a table (:class:`TableFactor`).  Oracles whose
reports are sets of values have many: there a report is as likely from every value within the
set, and less likely by one factor from every value without (:class:`SetFactor`).

Either kind also turns a report into a number whose mean is the user's value, and says how much
that number varies for each value.

``present`` says which users have a report.  An absent report and an empty set are different things:
both are as likely from every value, but the empty set is a report, and its number counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.cell_weights import CellWeights
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.estimators.cell_means import from_the_middle, mean_gains

__all__ = [
    "Codes",
    "Factor",
    "SetFactor",
    "TableFactor",
    "Varying",
    "cells_of_users",
    "factor_of",
    "variances",
    "varying",
]

Codes = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_LARGEST_TABLE = 2**24
"""Entries (128 MB) of reports by values."""
_CHUNK = 2**16
"""Users whose sets are packed at a time."""


@dataclass(frozen=True, eq=False)
class TableFactor:
    """``table[codes[i], v]``; code -1 where a user has no report."""

    codes: Codes
    table: Floats

    @property
    def present(self) -> Mask:
        """Which users have a report."""
        return self.codes >= 0

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.table.shape[1]

    def rows(self, some: slice) -> Floats:
        """The likelihoods of some users (down) for all values (across)."""
        codes = self.codes[some]
        likelihood = self.table[codes]
        likelihood[codes < 0] = 1.0
        return likelihood

    def of_users(self, some: slice | Mask) -> TableFactor:
        """The same for some users only."""
        return replace(self, codes=self.codes[some])


@dataclass(frozen=True, eq=False)
class SetFactor:
    """``ratio`` within a user's set, 1 without; a user without report has no bit set."""

    bits: Bytes
    """A row a user, 8 values to a byte."""
    present: Mask
    """Which users have a report: a report may be the empty set."""
    ratio: float
    size: int

    def rows(self, some: slice) -> Floats:
        """The likelihoods of some users (down) for all values (across), up to a constant each."""
        inside = np.unpackbits(self.bits[some], axis=1, count=self.size, bitorder="little")
        return 1.0 + (self.ratio - 1.0) * inside.astype(np.float64)

    def of_users(self, some: slice | Mask) -> SetFactor:
        """The same for some users only."""
        return replace(self, bits=self.bits[some], present=self.present[some])


Factor = TableFactor | SetFactor


def factor_of(
    name: str, mechanism: Mechanism, reports: Reports, rows: NDArray[np.int64] | None
) -> Factor:
    """The likelihoods of all users under the reports of one service."""
    channel = mechanism.channel()
    cells = None if mechanism.names_hash else mechanism.cells_of(reports)
    if cells is not None and channel.cells * channel.inputs <= _LARGEST_TABLE:
        return TableFactor(_placed(cells, rows).astype(np.int32, copy=False), channel.dense())
    if channel.support_probabilities is None or mechanism.supports(reports[:1], 0) is None:
        raise Unfit(
            f"{name}: reports of {mechanism} cannot be fused; what can: mechanisms for numbers "
            f"with at most {_LARGEST_TABLE // channel.inputs:,} cells, and oracles over bins"
        )
    certificate = mechanism.certificate()
    ratio = certificate.numerator / certificate.denominator
    bits = _packed(mechanism, reports)
    present = np.ones(len(bits), dtype=np.bool_)
    if rows is not None:
        present = rows >= 0
        placed = np.zeros((len(rows), bits.shape[1]), dtype=np.uint8)
        placed[present] = bits[rows[present]]
        bits = placed
    return SetFactor(bits, present, ratio, channel.inputs)


def _placed(cells: NDArray[np.int64], rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The cell of every user, -1 where there is none."""
    if rows is None:
        return cells.astype(np.int64, copy=False)
    placed, present = np.full(len(rows), -1), rows >= 0
    placed[present] = cells[rows[present]]
    return placed


def _packed(mechanism: Mechanism, reports: Reports) -> Bytes:
    """The set of every report."""
    size, n = mechanism.domain.size, len(reports)
    packed = np.empty((n, -(-size // 8)), dtype=np.uint8)
    for start in range(0, n, _CHUNK):
        part = reports[start : start + _CHUNK]
        inside = [mechanism.supports(part, v) for v in range(size)]
        packed[start : start + _CHUNK] = np.packbits(np.array(inside).T, axis=1, bitorder="little")
    return packed


@dataclass(frozen=True, eq=False)
class Varying:
    """Numbers of one service: right on average for each user, with a variance for each value."""

    numbers: Floats
    """One a user; those of absent users mean nothing."""
    present: Mask
    """Which users have a number."""
    variance: Floats
    """Of such a number, by value."""
    bias_bound: float
    """How far its mean may be from the value."""
    counts: NDArray[np.int64] | None = None
    """How many users each number stands for; None for one each."""

    @cached_property
    def people(self) -> int:
        """How many users have a number."""
        if self.counts is None:
            return int(np.count_nonzero(self.present))
        return int(self.counts[self.present].sum())

    def average(self, power: int = 1) -> tuple[float, float]:
        """The mean of the numbers of present users, taken to a power, and its variance."""
        told = self.numbers[self.present] ** power
        if self.counts is None:
            return float(told.mean()), float(told.var()) / len(told)
        weights = self.counts[self.present] / self.people
        mean = float(weights @ told)
        return mean, float(weights @ (told - mean) ** 2) / self.people

    def of_users(self, some: slice | Mask) -> Varying:
        """The same for some users only."""
        counts = None if self.counts is None else self.counts[some]
        return replace(self, numbers=self.numbers[some], present=self.present[some], counts=counts)


def cells_of_users(factor: Factor, counts: NDArray[np.int64] | None = None) -> Floats:
    """How many users fell in each cell of a table; nothing for sets."""
    if not isinstance(factor, TableFactor):
        return np.zeros(0)
    weights = None if counts is None else counts[factor.present]
    found = np.bincount(factor.codes[factor.present], weights, minlength=len(factor.table))
    return found.astype(np.float64)


def varying(
    name: str,
    mechanism: Mechanism,
    factor: Factor,
    counts: NDArray[np.int64] | None = None,
    cells: Floats | None = None,
) -> Varying:
    """Unbiased numbers from reports: of a table the gains of its cells, of a set its sum.

    ``cells`` are those of all users, where ``factor`` has only some of them.  With z the values seen from the middle m of the interval, as an estimate of the mean sees them,
    a set S says ``m + (sum over S of z - q sum z) / (p - q)``.
    """
    domain, channel = mechanism.domain.numbers, mechanism.channel()
    if domain is None:
        raise InvalidInput("domain", name, "an Interval, for a mean", mechanism.domain)
    present = factor.present
    if isinstance(factor, TableFactor):
        cells = cells_of_users(factor, counts) if cells is None else cells
        channel = channel.conditioned_on(cells / cells.sum())
        cell_weights = mean_gains(mechanism, channel)
        if cell_weights is None:
            raise Unfit(f"{name}: reports of {mechanism} do not identify a mean")
        numbers = cell_weights.values[factor.codes]
        varies = variances(channel, cell_weights)
        return Varying(numbers, present, varies, cell_weights.bias_bound, counts)
    support_probabilities, (middle, places) = channel.support_probabilities, from_the_middle(domain)
    assert support_probabilities is not None
    sums = np.concatenate(
        [
            np.unpackbits(part, axis=1, count=factor.size, bitorder="little") @ places
            for part in np.array_split(factor.bits, max(1, len(factor.bits) // _CHUNK))
        ]
    )
    numbers = middle + (sums - support_probabilities.q * places.sum()) / (
        support_probabilities.p - support_probabilities.q
    )
    return Varying(numbers, present, _set_variances(channel, places), 0.0, counts)


def variances(channel: Channel, cell_weights: CellWeights) -> Floats:
    """Of the number that a report of one cell gives, for every value it may come from."""
    mean = channel.adjoint(cell_weights.values)
    return np.maximum(channel.adjoint(cell_weights.values**2) - mean**2, 0.0)


def _set_variances(channel: Channel, places: Floats) -> Floats:
    """Of the number that a set gives, for every value it may come from."""
    units = np.eye(channel.inputs)
    return np.array([channel.variance_of(places, channel.forward(u), u) for u in units])

"""Numbers to try methods on: made-up ones, always there, and real ones, read from a folder.

A set is kept as a fine histogram of 8,192 bins, from which coarser ones are
summed.  Real data are not part of this project; every set tells how it differs
from the one in the papers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats
from sottovoce.domains.interval import Interval
from sottovoce.experiments.datasets import Shelf, read_parquet

__all__ = ["FINE", "Numbers", "load", "names", "rounded_as_told"]

FINE = 8192
"""Bins of the fine histogram: all coarser ones divide it."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Numbers:
    """How many people hold a number in each fine bin from ``low`` to ``high``."""

    name: str
    title: str
    low: float
    high: float
    bins: int
    """The bins of the papers' histogram."""
    fine: Ints
    note: str
    """Where it comes from, and how it differs from the set in the papers."""

    @staticmethod
    def histogram(values: Floats, low: float, high: float) -> Ints:
        """The fine histogram of the numbers of all people."""
        places = Interval(low, high, bins=FINE).indices(values)
        return np.bincount(places, minlength=FINE)

    @property
    def n(self) -> int:
        """The number of people."""
        return int(self.fine.sum())

    def counts(self, bins: int | None = None) -> Ints:
        """How many people there are in each of ``bins`` equal bins; those of the papers if left out."""
        size = self.bins if bins is None else bins
        if not 1 <= size <= FINE or FINE % size:
            raise InvalidInput("bins", f"data set {self.name}", f"a divisor of {FINE}", bins)
        summed: Ints = self.fine.reshape(size, -1).sum(axis=1)
        return summed

    def shares(self, bins: int | None = None) -> Floats:
        """The true distribution."""
        return self.counts(bins) / self.n


def names() -> tuple[str, ...]:
    """All sets of numbers, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Numbers], list[str]]:
    """The sets of numbers that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


# -- made up -----------------------------------------------------------------------------


def _beta() -> Numbers:
    draws = np.random.default_rng(52).beta(5, 2, 100_000)
    note = "100,000 draws, 256 bins. As in the paper."
    counts = Numbers.histogram(draws, 0, 1)
    return Numbers("beta-5-2", "Beta(5, 2)", 0, 1, 256, counts, note)


def rounded_as_told(amounts: Floats, random: np.random.Generator) -> Floats:
    """Amounts as people tell them: three in ten each to the nearest 5,000, 1,000 and 100."""
    units = random.choice([5_000, 1_000, 100, 1], len(amounts), p=[0.3, 0.3, 0.3, 0.1])
    rounded: Floats = np.maximum(np.round(amounts / units), 1) * units
    return rounded


# -- real ----------------------------------------------------------------------------------


_DAY, _BENEFITS, _WAGE = 86_400, 60_000, 524_288


def _taxi(path: Path) -> Numbers:
    table = read_parquet(path)
    seconds = np.array(table["pickup_second"], dtype=np.float64)[np.array(table["year"]) < 2020]
    note = (
        "Seconds of the day at which New York taxi trips begin: a sample of 2018 and 2019. The "
        "paper uses all 2,189,968 trips of January 2018, nine times as many."
    )
    counts = Numbers.histogram(seconds, 0, _DAY)
    return Numbers("taxi", "Taxi times", 0, _DAY, 1024, counts, note)


def _benefits(path: Path) -> Numbers:
    told = [amount for amount in read_parquet(path)["benefits"] if amount is not None]
    dollars = np.array(told, dtype=np.float64)
    dollars = dollars[(dollars >= 0) & (dollars < _BENEFITS)]
    note = (
        "Benefits of employees of San Francisco, 2011 to 2014, from 0 to 60,000 dollars. Stands in "
        "for their retirement plans (178,012 in the same range)."
    )
    counts = Numbers.histogram(dollars, 0, _BENEFITS)
    return Numbers("benefits", "Benefits", 0, _BENEFITS, 1024, counts, note)


def _dollars(path: Path) -> Floats:
    wages = np.array(read_parquet(path)["wage"], dtype=np.float64)
    return wages[(wages > 0) & (wages < _WAGE)]


def _wages(path: Path) -> Numbers:
    note = (
        "Yearly wages of US tax units, above 0 and below 2^19 dollars. Stands in for the incomes of "
        "the 2017 American Community Survey (2,308,374). Round numbers are in it, but scaled for "
        "inflation by year: spikes are many and small."
    )
    counts = Numbers.histogram(_dollars(path), 0, _WAGE)
    return Numbers("wages", "Wages", 0, _WAGE, 1024, counts, note)


def _rounded(path: Path) -> Numbers:
    told = rounded_as_told(_dollars(path), np.random.default_rng(2017))
    note = (
        "Stands in for the spiky incomes of the paper: the same wages, rounded by us as people round "
        "(three in ten each to the nearest 5,000, 1,000 and 100 dollars)."
    )
    counts = Numbers.histogram(told[told < _WAGE], 0, _WAGE)
    return Numbers("wages-rounded", "Wages, rounded", 0, _WAGE, 1024, counts, note)


_COPIES = 12


def _many(path: Path) -> Numbers:
    once = _rounded(path)
    note = (
        f"The rounded wages with {_COPIES} copies of each person: as many people as in the "
        "paper, for what it says of spiky data."
    )
    name, title = "wages-rounded-many", f"Wages, rounded, {_COPIES} times"
    return replace(once, name=name, title=title, fine=_COPIES * once.fine, note=note)


_WAGES = "cps_wages.parquet"
_SHELF = Shelf(
    {"beta-5-2": _beta},
    {
        "taxi": ("nyc_taxi_pickups.parquet", _taxi),
        "benefits": ("sf_pay.parquet", _benefits),
        "wages": (_WAGES, _wages),
        "wages-rounded": (_WAGES, _rounded),
        "wages-rounded-many": (_WAGES, _many),
    },
)

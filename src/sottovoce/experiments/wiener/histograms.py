"""Histograms to filter: times of day in any number of bins, the same shuffled, and web pages.

Real data are not part of this project; every set tells how it differs from the one in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.experiments.datasets import Shelf, read_parquet

__all__ = ["DAY", "MANY", "Histogram", "load", "names"]

Ints = NDArray[np.int64]

DAY = 86_400
"""Seconds of a day."""
MANY = 2_834_264
"""The trips of the paper's month."""
PLAIN_SIZE = 1000
_SPREAD = 300.0
"""Seconds over which times of day are smoothed before as many people as the paper has are drawn."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many people hold each value; times of day may be put in fewer bins, and then shuffled."""

    name: str
    title: str
    fine: Ints
    note: str
    """Where it comes from, and how it differs from the set in the paper."""
    binned: bool = True
    """Whether ``fine`` is to be put in bins."""
    shuffled: bool = False

    @property
    def n(self) -> int:
        """The number of people."""
        return int(self.fine.sum())

    @property
    def size(self) -> int:
        """The number of values that the paper has: 1,000 bins of times of day."""
        return PLAIN_SIZE if self.binned else len(self.fine)

    def counts(self, size: int | None = None) -> Ints:
        """How many people there are in each of ``size`` bins; those of the paper if left out."""
        if not self.binned:
            return self.fine
        bins = self.size if size is None else size
        places = np.arange(len(self.fine)) * bins // len(self.fine)
        summed = np.bincount(places, self.fine, minlength=bins).astype(np.int64)
        return np.random.default_rng(bins).permutation(summed) if self.shuffled else summed


def names() -> tuple[str, ...]:
    """All histograms, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Histogram], list[str]]:
    """The histograms that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


# -- made up -------------------------------------------------------------------------------


def _ring() -> Histogram:
    angle = 2 * np.pi * np.arange(DAY) / DAY
    weights = 1.5 + np.sin(angle) + 0.3 * np.cos(3 * angle)
    counts = np.random.default_rng(6).multinomial(1_000_000, weights / weights.sum())
    note = "A million draws from three waves around a ring."
    return Histogram("ring", "Waves around a ring", counts, note)


def _flat() -> Histogram:
    note = "A thousand people at each of 1,000 values: an estimate is noise and nothing else."
    return Histogram("flat", "All alike", np.full(PLAIN_SIZE, 1000), note, binned=False)


# -- real ------------------------------------------------------------------------------------


def _taxi(path: Path) -> Histogram:
    table = read_parquet(path)
    seconds = np.array(table["pickup_second"], dtype=np.int64)[np.array(table["year"]) < 2020]
    note = (
        "Seconds of the day at which New York taxi trips begin: a sample of 2018 and 2019. The "
        "paper uses all 2,834,264 trips of June 2021, twelve times as many."
    )
    return Histogram("taxi", "Taxi times", np.bincount(seconds, minlength=DAY), note)


def _taxi_many(path: Path) -> Histogram:
    once = _taxi(path)
    frequency = np.fft.rfftfreq(DAY)
    window = np.exp(-2 * (np.pi * _SPREAD * frequency) ** 2)
    smoothed: Floats = np.fft.irfft(np.fft.rfft(once.fine) * window, DAY)
    weights = np.maximum(smoothed, 0.0)
    counts = np.random.default_rng(2021).multinomial(MANY, weights / weights.sum())
    note = (
        "The taxi times smoothed over five minutes, and as many people as the paper has drawn "
        "from that: for what depends on the number of people."
    )
    return Histogram("taxi-many", "Taxi times, 2.8 million", counts, note)


def _kosarak(path: Path) -> Histogram:
    counts = np.loadtxt(path, delimiter=",", skiprows=1, usecols=1, dtype=np.int64)
    note = (
        "Clicks on pages of a Hungarian news site: the first 3.7% of the file. The paper uses all "
        "of it (8,019,015 clicks, 41,270 pages). Pages are in the order of their first click."
    )
    return Histogram("kosarak", "Kosarak (start)", counts, note, binned=False)


def _shuffle(histogram: Histogram) -> Histogram:
    return Histogram(
        f"{histogram.name}-shuffled", f"{histogram.title}, shuffled", histogram.fine,
        "The same bins in a random order, fixed once for all.", shuffled=True,
    )  # fmt: skip


def _shuffled(loader: Callable[[Path], Histogram]) -> Callable[[Path], Histogram]:
    return lambda path: _shuffle(loader(path))


_TAXI = "nyc_taxi_pickups.parquet"
_SHELF = Shelf(
    {"flat": _flat, "ring": _ring, "ring-shuffled": lambda: _shuffle(_ring())},
    {
        "taxi": (_TAXI, _taxi),
        "taxi-shuffled": (_TAXI, _shuffled(_taxi)),
        "taxi-many": (_TAXI, _taxi_many),
        "taxi-many-shuffled": (_TAXI, _shuffled(_taxi_many)),
        "kosarak": ("kosarak_prefix_hist.csv.gz", _kosarak),
    },
)

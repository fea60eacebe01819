"""Keys with numbers, one pair a person: made-up ones, pay by age group, and ratings of films."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.domains.key_values import KeyValues
from sottovoce.experiments.datasets import Shelf, read_parquet
from sottovoce.experiments.mixture_reduction.categories import EMPLOYEES

__all__ = ["SETS", "Pairs", "load"]

Ints = NDArray[np.int64]

SETS = ("bells", "ages", "films")
BINS = 32
_MOST = 200_000


@dataclass(frozen=True, eq=False)
class Pairs:
    """How many people hold each pair of a key and a number in a bin."""

    name: str
    title: str
    domain: KeyValues
    counts: Ints
    """``[key, bin]``."""
    note: str
    """Where it comes from, and how it differs from the set in the paper."""

    @property
    def n(self) -> int:
        """The number of people."""
        return int(self.counts.sum())

    @property
    def size(self) -> int:
        """The number of keys."""
        return len(self.counts)

    @property
    def frequencies(self) -> Floats:
        """The share of people who hold each key."""
        return self.counts.sum(axis=1) / self.n

    @cached_property
    def middles(self) -> Floats:
        """The middles of bins on a scale from -1 to 1, on which the paper measures."""
        return (np.arange(BINS) + 0.5) * 2 / BINS - 1

    @cached_property
    def means(self) -> Floats:
        """The true mean of the numbers of every key, from -1 to 1."""
        found: Floats = self.counts @ self.middles / self.counts.sum(axis=1)
        return found


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Pairs], list[str]]:
    """The sets that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


def _pairs(keys: Ints, numbers: Floats, low: float, high: float, labels: list[str]) -> tuple[KeyValues, Ints]:  # fmt: skip
    domain = KeyValues(labels, low, high, bins=BINS)
    places = keys * BINS + domain.interval.indices(numbers)
    counts = np.bincount(places, minlength=domain.size).reshape(len(labels), BINS)
    return domain, counts


# -- made up -------------------------------------------------------------------------------

_FREQUENCIES = (0.03, 0.03, 0.06, 0.06, 0.06, 0.12, 0.12, 0.12, 0.15, 0.25)


def _bells() -> Pairs:
    random = np.random.default_rng(31)
    keys = random.choice(len(_FREQUENCIES), EMPLOYEES, p=_FREQUENCIES)
    centers = random.permutation(np.linspace(-0.6, 0.6, len(_FREQUENCIES)))
    numbers = np.clip(random.normal(centers[keys], 0.25), -1, 1)
    labels = [f"key {i}" for i in range(len(_FREQUENCIES))]
    note = "Ten keys that 3% to 25% of 43,386 people hold, each with numbers around a center of its own between -0.6 and 0.6."
    return Pairs("bells", "Ten bells", *_pairs(keys, numbers, -1, 1, labels), note)


# -- real ------------------------------------------------------------------------------------

_AGES = (20, 25, 30, 35, 40, 45, 50, 55, 60, 65)


def _ages(path: Path) -> Pairs:
    table = read_parquet(path)
    wages = np.array(table["wage"], dtype=np.float64)
    working = np.flatnonzero(wages > 0)
    chosen = np.random.default_rng(EMPLOYEES).choice(working, EMPLOYEES, replace=False)
    keys = np.searchsorted(_AGES, np.array(table["age_head"])[chosen], side="right")
    labels = [f"to {_AGES[0] - 1}", *(f"{a} to {a + 4}" for a in _AGES[:-1]), f"{_AGES[-1]} on"]
    note = (
        "Stands in for the compensation of SFC by age group: yearly wages of US tax units by the age of their head, as many "
        "people as in the paper drawn without replacement, from 0 to 200,000 dollars; what is above is set to the end."
    )
    made = _pairs(keys.astype(np.int64), np.minimum(wages[chosen], _MOST), 0, _MOST, labels)
    return Pairs("ages", "Wages by age", *made, note)


_RANKS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377)


def _films(path: Path) -> Pairs:
    table = read_parquet(path)
    films = np.array(table["movie"], dtype=np.int64)
    ratings = np.array(table["rating_x2"], dtype=np.float64) / 2
    ranked = np.argsort(-np.bincount(films), kind="stable")
    chosen = ranked[np.array(_RANKS) - 1]
    among = np.flatnonzero(np.isin(films, chosen))
    drawn = np.random.default_rng(EMPLOYEES).choice(among, EMPLOYEES)
    place = {film: key for key, film in enumerate(chosen.tolist())}
    keys = np.array([place[film] for film in films[drawn].tolist()], dtype=np.int64)
    labels = [f"film of rank {rank}" for rank in _RANKS]
    note = (
        f"MovieLens: ratings from 0.5 to 5 of 13 films, those of ranks {', '.join(map(str, _RANKS))} by the number of "
        f"ratings. There are only {len(among):,} of them, far too few to collect privately: 43,386 people are drawn from them "
        "with replacement, one rating each. Not in the paper."
    )
    return Pairs(
        "films", "Ratings of films", *_pairs(keys, ratings[drawn], 0.25, 5.25, labels), note
    )


_SHELF = Shelf(
    {"bells": _bells},
    {
        "ages": ("cps_wages.parquet", _ages),
        "films": ("movielens_small.parquet", _films),
    },
)

"""Values without order: made-up ones, always there, and named stand-ins for the paper's two sets.

Every set is in a random order, fixed once for all.  The authors' program works on values sorted
by true count, and never merges the first 10 (randomized response) or 30 (local hashing) of them:
it is told which values are frequent.  Here nothing is.

Real data are not part of this project; every set tells how it differs from the one in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Floats
from sottovoce.experiments.datasets import Dataset, Shelf, read_parquet

__all__ = ["EMPLOYEES", "SETS", "TAXPAYERS", "UNIFORM", "load", "names"]

Ints = NDArray[np.int64]

EMPLOYEES, TAXPAYERS = 43_386, 300_000
"""The people of the paper's SFC and Income."""
UNIFORM = "uniform"
"""The worst case of the paper's figure 7."""
SETS = ("mixture-60", "adult", "zipf-300", "zones", "cities")
"""The others: 60 values of 43,386 people, then about 300 values of 300,000."""


def names() -> tuple[str, ...]:
    """All sets, made-up ones first."""
    return _SHELF.names


def load(wanted: Iterable[str], folder: Path | None) -> tuple[list[Dataset], list[str]]:
    """The sets that can be had, and a message for each that cannot."""
    return _SHELF.load(wanted, folder)


def _shuffled(counts: Ints) -> Ints:
    return np.random.default_rng(len(counts)).permutation(counts)


# -- made up -------------------------------------------------------------------------------


def _drawn(weights: Floats, people: int) -> Ints:
    draws = np.random.default_rng(people).multinomial(people, weights / weights.sum())
    return _shuffled(draws.astype(np.int64))


def _mixture() -> Dataset:
    places = np.linspace(-1, 1, 61)
    middles = (places[1:] + places[:-1]) / 2
    weights = 0.6 * _bell(middles, 0.7, 0.2) + 0.4 * _bell(middles, 0.2, 0.1)
    note = (
        "43,386 draws from S-MN, the paper's mixture of two normal distributions, in 60 bins without their order: "
        "half of them are nearly empty."
    )
    return Dataset("mixture-60", "S-MN, 60 values", _drawn(weights, EMPLOYEES), note)


def _bell(x: Floats, mean: float, deviation: float) -> Floats:
    density: Floats = np.exp(-(((x - mean) / deviation) ** 2) / 2) / deviation
    return density


def _zipf() -> Dataset:
    note = "300,000 draws from 300 values, the i-th in proportion to 1/i."
    return Dataset(
        "zipf-300", "Zipf(1), 300 values", _drawn(1 / np.arange(1.0, 301.0), TAXPAYERS), note
    )


def _uniform() -> Dataset:
    note = "500 people at each of 100 values. As in the paper."
    return Dataset(UNIFORM, "Uniform, 100 values", np.full(100, 500), note)


# -- real ------------------------------------------------------------------------------------


def _some(values: Ints, people: int, size: int) -> Ints:
    """How many of ``people``, drawn without replacement, hold each value."""
    chosen = np.random.default_rng(people).choice(values, people, replace=False)
    return _shuffled(np.bincount(chosen, minlength=size))


_AGES, _YOUNGEST, _STEP = 10, 15, 5


def _adult(path: Path) -> Dataset:
    table = read_parquet(path)
    ages = np.array(table["age"], dtype=np.int64) // _STEP - _YOUNGEST // _STEP
    roles, role = np.unique(table["relationship"], return_inverse=True)
    groups = np.clip(ages, 0, _AGES - 1) * len(roles) + role
    note = (
        "Stands in for age group and region of the employees of San Francisco (SFC): age group (ten of five years, the last "
        "open) and place in the family (six) of the adults of the US census sample of 1994, as many people as in the paper "
        "drawn without replacement from 48,842. 15 of the 60 values are held by less than 3 in 1,000."
    )
    counts = _some(groups.astype(np.int64), EMPLOYEES, _AGES * len(roles))
    return Dataset("adult", "Adult: age and family", counts, note)


_ZONES = 265


def _zones(path: Path) -> Dataset:
    zones = np.array(read_parquet(path)["pickup_zone"], dtype=np.int64) - 1
    note = (
        "Stands in for the ZIP codes of Income (300,000 people, K 300): the taxi zone in which a New York trip begins, as many "
        "trips as the paper has people, drawn without replacement from 359,990. 265 zones, of which 17 have none of them: like "
        "the paper's, a head of dozens and a tail of nothing."
    )
    return Dataset("zones", "Taxi zones", _some(zones, TAXPAYERS, _ZONES), note)


_CITIES = 300


def _cities(path: Path) -> Dataset:
    people = np.array(read_parquet(path)["population"][:_CITIES], dtype=np.float64)
    note = (
        "Also stands in for the ZIP codes of Income: the 300 largest US cities, 300,000 people drawn in proportion. The "
        "smallest has 1 in 1,000 of them: no value is nearly empty."
    )
    return Dataset("cities", "US cities", _drawn(people, TAXPAYERS), note)


_SHELF = Shelf(
    {"mixture-60": _mixture, "zipf-300": _zipf, UNIFORM: _uniform},
    {
        "adult": ("adult.parquet", _adult),
        "zones": ("nyc_taxi_pickups.parquet", _zones),
        "cities": ("us_cities_population.parquet", _cities),
    },
)
